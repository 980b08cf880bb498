/// How recent the firmware and the TDX module of a platform are.
///
/// Spec: 80, section 4.2, steps 9 to 11.
struct PlatformJudgement {
    let status: TcbStatus
    let advisoryIds: [String]

    init(_ report: TdReport, _ platform: PckPlatform, _ info: TcbInfo) throws(AttestationError) {
        guard info.fmspc == platform.fmspc else {
            throw AttestationError(.unverified, "the TCB info is for platforms of another kind")
        }
        let svn = Array(report.teeTcbSvn)
        let level = try Self.level(svn, platform, info)
        // The module that runs may be newer than the one that measured the environment; it has to be known as well.
        if let running = report.teeTcbSvn2 { _ = try Self.level(Array(running), platform, info) }
        let module = try Self.module(report, svn, info)
        status = try level.status.merged(with: module?.status ?? .upToDate, of: "TDX module")
        advisoryIds = level.advisoryIds + (module?.advisoryIds ?? [])
    }

    private static func level(
        _ svn: [UInt8], _ platform: PckPlatform, _ info: TcbInfo
    ) throws(AttestationError) -> TcbInfo.Level {
        guard svn.count == 16 else { throw AttestationError(.malformed, "the report has no TCB") }
        // From version 1 on a module has levels of its own for its first two components.
        let first = svn[1] > 0 ? 2 : 0
        let level = info.levels.first { level in
            platform.pceSvn >= level.pceSvn
                && zip(platform.cpuSvn, level.sgxComponents).allSatisfy { Int($0) >= $1 }
                && zip(svn, level.tdxComponents).dropFirst(first).allSatisfy { Int($0) >= $1 }
        }
        guard let level else {
            throw AttestationError(.unverified, "the platform is older than any that Intel knows")
        }
        return level
    }

    /// Nil for a module of the first kind, whose recency is part of the platform's.
    private static func module(
        _ report: TdReport, _ svn: [UInt8], _ info: TcbInfo
    ) throws(AttestationError) -> IsvLevel? {
        var module = info.module
        var levels: [IsvLevel]?
        if svn[1] > 0, !info.moduleIdentities.isEmpty {
            let id = "TDX_" + Hex.encode([svn[1]])
            guard let identity = info.moduleIdentities.first(where: { $0.id.lowercased() == id.lowercased() }) else {
                throw AttestationError(.unverified, "the TDX module is of a version that Intel does not know")
            }
            module = identity.module
            levels = identity.levels
        }
        guard report.mrSignerSeam.elementsEqual(module.mrSigner) else {
            throw AttestationError(.unverified, "the TDX module is signed by somebody else")
        }
        guard Masked.equal(report.seamAttributes, module.attributes, mask: module.attributesMask),
            Masked.isWithin(report.seamAttributes, mask: module.attributesMask)
        else { throw AttestationError(.unverified, "the TDX module has other attributes") }
        guard let levels else { return nil }
        guard let level = levels.first(where: { Int(svn[0]) >= $0.isvSvn }) else {
            throw AttestationError(.unverified, "the TDX module is older than any that Intel knows")
        }
        return level
    }
}
