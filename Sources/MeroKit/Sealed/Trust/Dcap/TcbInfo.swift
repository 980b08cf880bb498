/// What Intel says about platforms of one kind: which firmware is recent.
///
/// Spec: 80, sections 4.2 and 5.
package struct TcbInfo: Sendable {
    /// A step of recency of platforms.
    struct Level: Sendable {
        let sgxComponents: [Int]
        let tdxComponents: [Int]
        let pceSvn: Int
        let status: TcbStatus
        let advisoryIds: [String]
    }

    /// What a TDX module has to be.
    struct Module: Sendable {
        let mrSigner: [UInt8]
        let attributes: [UInt8]
        let attributesMask: [UInt8]
    }

    /// A TDX module of one major version, with steps of its own.
    struct ModuleIdentity: Sendable {
        let id: String
        let module: Module
        let levels: [IsvLevel]
    }

    let issueDate: Int64
    let nextUpdate: Int64
    let fmspc: [UInt8]
    let module: Module
    let moduleIdentities: [ModuleIdentity]
    /// The most recent one first.
    let levels: [Level]

    package init(_ text: String) throws(AttestationError) {
        let fields = try TcbFields(text: text, "tcb_info")
        guard try fields.string("id") == "TDX" else { throw AttestationError(.refused, "the TCB info is not for TDX") }
        _ = try fields.int("version", in: 3...Int(UInt16.max))
        issueDate = try fields.time("issueDate")
        nextUpdate = try fields.time("nextUpdate")
        fmspc = try fields.hex("fmspc", bytes: 6)
        module = try Self.module(fields.member("tdxModule"))
        moduleIdentities = try Self.identities(fields)
        levels = try Self.levels(fields)
    }

    private static func module(_ fields: TcbFields) throws(AttestationError) -> Module {
        Module(
            mrSigner: try fields.hex("mrsigner", bytes: 48), attributes: try fields.hex("attributes", bytes: 8),
            attributesMask: try fields.hex("attributesMask", bytes: 8))
    }

    private static func identities(_ fields: TcbFields) throws(AttestationError) -> [ModuleIdentity] {
        guard fields.optional("tdxModuleIdentities") != nil else { return [] }
        var identities: [ModuleIdentity] = []
        for entry in try fields.list("tdxModuleIdentities") {
            identities.append(
                ModuleIdentity(
                    id: try entry.string("id"), module: try module(entry), levels: try IsvLevel.list(of: entry)))
        }
        return identities
    }

    private static func levels(_ fields: TcbFields) throws(AttestationError) -> [Level] {
        var levels: [Level] = []
        for entry in try fields.list("tcbLevels") {
            let tcb = try entry.member("tcb")
            guard let status = TcbStatus(rawValue: try entry.string("tcbStatus")) else {
                throw AttestationError(.malformed, "tcb_info has a status that is none of Intel's")
            }
            levels.append(
                Level(
                    sgxComponents: try components(tcb, "sgxtcbcomponents"),
                    tdxComponents: try components(tcb, "tdxtcbcomponents"),
                    pceSvn: try tcb.int("pcesvn", in: 0...Int(UInt16.max)), status: status,
                    advisoryIds: try entry.strings("advisoryIDs")))
        }
        // Which of several that fit is taken must not depend on the order of the text.
        return levels.enumerated().sorted { left, right in
            let (first, second) = (left.element, right.element)
            let keys = (first.sortKey, second.sortKey)
            return keys.0 == keys.1 ? left.offset < right.offset : keys.1.lexicographicallyPrecedes(keys.0)
        }.map(\.element)
    }

    private static func components(_ fields: TcbFields, _ key: String) throws(AttestationError) -> [Int] {
        var components: [Int] = []
        for entry in try fields.list(key) { components.append(try entry.int("svn", in: 0...Int(UInt8.max))) }
        guard components.count == 16 else { throw fields.wrong(key) }
        return components
    }
}

extension TcbInfo.Level {
    fileprivate var sortKey: [Int] { sgxComponents + [pceSvn] + tdxComponents }
}

/// A step of recency of an enclave or a TDX module.
struct IsvLevel: Sendable {
    let isvSvn: Int
    let status: TcbStatus
    let advisoryIds: [String]

    /// In the order of the text, which is the highest first.
    static func list(of fields: TcbFields) throws(AttestationError) -> [IsvLevel] {
        var levels: [IsvLevel] = []
        for entry in try fields.list("tcbLevels") {
            guard let status = TcbStatus(rawValue: try entry.string("tcbStatus")) else {
                throw AttestationError(.malformed, "the collateral has a status that is none of Intel's")
            }
            levels.append(
                IsvLevel(
                    isvSvn: try entry.member("tcb").int("isvsvn", in: 0...Int(UInt16.max)), status: status,
                    advisoryIds: try entry.strings("advisoryIDs")))
        }
        return levels
    }
}
