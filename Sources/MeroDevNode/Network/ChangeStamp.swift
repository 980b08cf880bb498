/// When a field was changed, as nodes count it. Of two changes to one field the later one stands, everywhere.
struct ChangeStamp: Sendable, Hashable, Comparable {
    var time: UInt64
    /// Who changed it, for changes of the same time.
    var node: String

    /// Of what nobody has seen change.
    static let origin = ChangeStamp(time: 0, node: "")

    static func < (left: ChangeStamp, right: ChangeStamp) -> Bool {
        (left.time, left.node) < (right.time, right.node)
    }
}
