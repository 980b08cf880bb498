import MeroKit
import Testing

@testable import mero

@Suite("Parts of the administration commands")
struct AdminPartsTests {
    private struct Row {
        let id: String
    }

    @Test("all pages are asked for, and nothing comes twice", arguments: [0, 1, 499, 500, 501, 1000, 1234])
    func pages(count: Int) async throws {
        let all = (0..<count).map { Row(id: "\($0)") }
        let asked = Locked<[Int]>([])
        let rows = try await Pages.all(id: \.id) { offset, limit in
            asked.withLock { $0.append(offset) }
            #expect(limit == Pages.length)
            return Array(all.dropFirst(offset).prefix(limit))
        }
        #expect(rows.map(\.id) == all.map(\.id))
        #expect(asked.withLock { $0 } == Array(stride(from: 0, through: count, by: Pages.length)))
    }

    @Test("a node that sends the same page for ever is left")
    func samePage() async throws {
        let page = (0..<Pages.length).map { Row(id: "\($0)") }
        let asked = Locked(0)
        let rows = try await Pages.all(id: \.id) { _, _ in
            asked.withLock { $0 += 1 }
            return page
        }
        #expect(rows.count == Pages.length)
        #expect(asked.withLock { $0 } == 2)
    }

    @Test("words and bits of capabilities are each other's")
    func capabilities() {
        #expect(MemberWords.mask(MemberWords.capabilities.map(\.word)) == 1023)
        for (word, bit) in MemberWords.capabilities {
            #expect(MemberWords.mask([word]) == bit)
            #expect(MemberWords.words(Int(bit)) == [word])
        }
        #expect(MemberWords.words(0) == [])
        #expect(MemberWords.text(0) == "none")
        #expect(MemberWords.words(1 << 31 | 2) == ["invite", "2147483648"])
    }

    @Test(
        "sizes for people",
        arguments: [
            (0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1_572_864, "1.5 MiB"), (1 << 30, "1.0 GiB"),
            (5 << 50, "5120.0 TiB"),
        ] as [(Int64, String)])
    func sizes(count: Int64, text: String) {
        #expect(Bytes.text(count) == text)
    }

    @Test("a bar fits into its terminal, however narrow", arguments: [1, 2, 20, 40, 60, 80, 200])
    func bar(width: Int) {
        for total in [nil, 0, 3_000_000] as [Int64?] {
            for completed in [0, 1_500_000, 3_000_000] as [Int64] {
                let line = TransferBar.line(
                    "文件 with a long name.jpg", TransferProgress(completed: completed, total: total), seconds: 2,
                    width: width)
                #expect(line.columns < max(width, 2), "\(line)")
            }
        }
    }

    @Test("a bar shows how much is there")
    func barContent() {
        let half = TransferBar.line(
            "a.bin", TransferProgress(completed: 1 << 20, total: 2 << 20), seconds: 2, width: 80)
        #expect(half == "a.bin  [\(half.bars)]   50%  1.0 MiB of 2.0 MiB  512.0 KiB/s")
        #expect(half.bars.filter { $0 == "#" }.count == half.bars.count / 2)
        let unknown = TransferBar.line("a.bin", TransferProgress(completed: 1 << 20, total: nil), seconds: 0, width: 80)
        #expect(unknown == "a.bin  1.0 MiB")
    }

    @Test("a member of one object is put in front of the others")
    func with() throws {
        let report = try Report.encoding(["b": 1, "a": 2]).with("id", .string("x"))
        #expect(report.json == #"{"id":"x","a":2,"b":1}"#)
    }
}

extension String {
    fileprivate var bars: String {
        guard let start = firstIndex(of: "["), let end = firstIndex(of: "]") else { return "" }
        return String(self[index(after: start)..<end])
    }
}
