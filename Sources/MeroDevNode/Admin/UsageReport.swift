/// `GET /usage`: estimates of what each namespace takes up.
///
/// Spec: 20, section 5.3.
struct UsageReport: Sendable {
    let contexts: ContextRuntime
    let groups: GroupRegistry

    func answer() -> DevHttpResponse {
        let rows = groups.read { state in
            state.groups.entries.filter { $0.value.parent == nil }.keys.sorted().map { id -> Row in
                let tree = state.subtree(of: id)
                return Row(
                    namespace: id, contexts: tree.flatMap { state[$0]?.contexts ?? [] },
                    members: state.members(of: id).count, subgroups: tree.count - 1,
                    governance: tree.reduce(0) { $0 + (state[$1]?.tree.bytes.count ?? 0) })
            }
        }
        return .json(200, ["namespaces": .array(rows.map(entry))])
    }

    private struct Row {
        let namespace: String
        let contexts: [String]
        let members: Int
        let subgroups: Int
        let governance: Int
    }

    private func entry(_ row: Row) -> JsonTree {
        let state = row.contexts.compactMap { contexts[$0]?.size }.reduce(0, +)
        return [
            "namespaceId": .string(row.namespace), "contextCount": JsonTree(row.contexts.count),
            "memberCount": JsonTree(row.members), "subgroupCount": JsonTree(row.subgroups),
            "bytes": [
                // This node keeps neither private state nor a history.
                "state": JsonTree(state), "privateState": 0, "delta": 0, "governance": JsonTree(row.governance),
                "total": JsonTree(state + row.governance),
            ],
        ]
    }
}
