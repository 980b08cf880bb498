import MeroKit

/// What the commands of `mero tee` do.
enum TeeActs {
    static func info(_ run: AdminRun) async throws {
        let info: TeeInfoResponseData
        do {
            info = try await run.admin.getTeeInfo()
        } catch MeroError.http(let answer)
            where answer.status == 500 && answer.refusal?.message?.hasPrefix("Failed to get TEE info") == true
        {
            throw Failure(
                code: .refused, message: "The node runs in no TEE: \(answer.refusal?.message ?? "")",
                hint: "Only a node on an attested machine has something to tell here")
        }
        try run.show(
            [("provider", info.cloudProvider), ("image", info.osImage), ("MRTD", info.mrtd)], try .encoding(info))
    }

    static func show(_ run: AdminRun) async throws {
        let id = try run.id("namespace")
        let policy = try await run.admin.getTeeAdmissionPolicy(id)
        let document = try Report.encoding(policy).with("namespaceId", .string(id))
        guard isOn(policy) else {
            return try run.say("Namespace \(id) lets no attested machine in.", document)
        }
        let lists = [
            ("MRTD", policy.allowedMrtd), ("RTMR0", policy.allowedRtmr0), ("RTMR1", policy.allowedRtmr1),
            ("RTMR2", policy.allowedRtmr2), ("RTMR3", policy.allowedRtmr3),
        ]
        try run.show(
            [("namespace", id), ("they become", role(policy.mode))]
                + lists.map { ($0.0, $0.1.joined(separator: " ")) }
                + [
                    ("profiles", policy.signedRelease?.allowedProfiles.joined(separator: " ")),
                    ("from release", policy.signedRelease?.minReleaseVersion),
                    ("TCB status", policy.allowedTcbStatuses.joined(separator: " ")),
                    ("mock quotes", policy.acceptMock ? "accepted" : "refused"),
                ], document)
    }

    /// Nodes that do not say so have a policy when there is something in it.
    private static func isOn(_ policy: GetTeeAdmissionPolicyResponseData) -> Bool {
        policy.enabled ?? (!policy.allowedMrtd.isEmpty || policy.signedRelease != nil)
    }

    private static func role(_ mode: TeeAdmissionMode?) -> String {
        mode == .relay ? "relays (RelayTee)" : "replicas (ReadOnlyTee)"
    }

    static func admit(_ run: AdminRun) async throws {
        let id = try run.id("namespace")
        var request = try request(run.arguments)
        let (admin, root) = try await OwnerSignature.prepare(
            "Let machines that match this policy into namespace \(id), in place of the policy before?", run)
        request.rootProof = try await root?.rootProof(for: request.ownerOp, groupId: id, admin: admin)
        try await admin.setTeeAdmissionPolicy(id, request: request)
        try run.say(
            "Namespace \(id) lets machines in that match the policy, as \(role(request.mode)).",
            try Report.encoding(try await admin.getTeeAdmissionPolicy(id)).with("namespaceId", .string(id)))
    }

    /// The policy that the options say. One of the two kinds, and whole: what is missing is named before anything is sent.
    static func request(_ arguments: Arguments) throws -> SetTeeAdmissionPolicyRequest {
        let profiles = arguments.texts(.teeProfile)
        let statuses = arguments.texts(.tcbStatus)
        let acceptsMock = arguments.has(.acceptMock)
        let mode: TeeAdmissionMode? = arguments.text(.teeMode).flatMap(TeeAdmissionMode.init)
        let measured = OptionSpec.measurements.filter { !arguments.texts($0).isEmpty }
        if !profiles.isEmpty {
            guard measured.isEmpty else {
                throw Failure(
                    code: .usage, message: "--tee-profile goes without \(measured[0].flag): a policy has one kind",
                    hint: "Nothing was sent")
            }
            return .signedRelease(
                SignedReleaseTeePolicy(allowedProfiles: profiles, minReleaseVersion: arguments.text(.minRelease)),
                allowedTcbStatuses: statuses, acceptMock: acceptsMock, mode: mode)
        }
        guard arguments.text(.minRelease) == nil else {
            throw Failure(code: .usage, message: "--min-release goes with --tee-profile", hint: "Nothing was sent")
        }
        let missing = OptionSpec.measurements.filter { $0.name != "rtmr0" && arguments.texts($0).isEmpty }
        guard missing.isEmpty else {
            throw Failure(
                code: .usage, message: "The policy lacks \(missing.map(\.flag).joined(separator: ", "))",
                hint: "Name measurements, or the profiles of signed releases with --tee-profile; nothing was sent")
        }
        let lists = OptionSpec.measurements.map(arguments.texts)
        return .measurement(
            allowedMrtd: lists[0], allowedRtmr0: lists[1], allowedRtmr1: lists[2], allowedRtmr2: lists[3],
            allowedRtmr3: lists[4], allowedTcbStatuses: statuses, acceptMock: acceptsMock, mode: mode)
    }

    static func author(_ run: AdminRun) async throws {
        let id = try run.id("namespace")
        var request = SetTeeAuthoringPolicyRequest(allowedMrtd: run.arguments.operandWords("mrtd"))
        let (admin, root) = try await OwnerSignature.prepare(
            "Let machines with \(request.allowedMrtd.count) measurements write as namespace \(id)'s authority?", run)
        request.rootProof = try await root?.rootProof(for: request.ownerOp, groupId: id, admin: admin)
        try await admin.setTeeAuthoringPolicy(id, request: request)
        try run.say(
            "Machines of these measurements may write as the authority of namespace \(id).",
            ["namespaceId": .string(id), "allowedMrtd": .strings(request.allowedMrtd)])
    }

    static func noAuthor(_ run: AdminRun) async throws {
        let id = try run.id("namespace")
        let (admin, root) = try await OwnerSignature.prepare(
            "Let no machine write as the authority of namespace \(id) any more?", run)
        let op = SetTeeAuthoringPolicyRequest(allowedMrtd: []).ownerOp
        let proof = try await root?.rootProof(for: op, groupId: id, admin: admin)
        try await admin.disableTeeAuthoringPolicy(id, request: RootGuardedOpRequest(rootProof: proof))
        try run.say(
            "No machine writes as the authority of namespace \(id).",
            ["namespaceId": .string(id), "allowedMrtd": []])
    }
}

extension OptionSpec {
    /// In the order of the policy's lists.
    static let measurements = ["mrtd", "rtmr0", "rtmr1", "rtmr2", "rtmr3"].map { name in
        OptionSpec(
            name: name, value: .text("HEX"),
            help: "A measurement that is let in.", repeats: true)
    }
    static let teeProfile = OptionSpec(
        name: "tee-profile", value: .text("PROFILE"),
        help: "Instead of measurements: images of this profile from signed releases.",
        repeats: true)
    static let minRelease = OptionSpec(
        name: "min-release", value: .text("X.Y.Z"), help: "The oldest release that is let in.")
    static let tcbStatus = OptionSpec(
        name: "tcb", value: .text("STATUS"),
        help: "A TCB status that is let in, such as UpToDate.", repeats: true)
    static let acceptMock = OptionSpec(name: "accept-mock", help: "Mock quotes as well: for development only.")
    static let teeMode = OptionSpec(
        name: "as", value: .choice(["replica", "relay"]),
        help: "What the machines become: copies that only read (the default), or relays that act for members.")
}
