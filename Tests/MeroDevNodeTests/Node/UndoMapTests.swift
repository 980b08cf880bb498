import Testing

@testable import MeroDevNode

@Suite struct UndoMapTests {
    @Test func rollbackRestoresAndCommitKeeps() {
        var map = UndoMap(["a": 1, "b": 2])
        map["a"] = 5
        map["a"] = nil
        map["b"] = nil
        map["c"] = 3
        map["d"] = nil
        #expect(map.entries == ["c": 3])
        let changes = Dictionary(uniqueKeysWithValues: map.changes.map { ($0.key, [$0.old, $0.new]) })
        #expect(changes == ["a": [1, nil], "b": [2, nil], "c": [nil, 3], "d": [nil, nil]])
        map.rollback()
        #expect(map.entries == ["a": 1, "b": 2])
        #expect(!map.isTouched)
        map["c"] = 3
        map.commit()
        map.rollback()
        #expect(map.entries == ["a": 1, "b": 2, "c": 3])
    }
}
