import MeroKit

/// What the commands of `mero identity` do.
enum IdentityActs {
    static func show(_ run: AdminRun) async throws {
        let identity = try await run.admin.getNodeIdentity()
        try run.show(
            [
                ("account", identity.accountId), ("device", identity.deviceId), ("node key", identity.publicKey),
                ("account root", identity.accountRootPublicKey),
                ("holds the root", identity.holdsAccountRoot ? "yes" : "no"),
                ("paired", identity.holdsAccountRoot ? nil : identity.deviceCertified ? "yes" : "not completed yet"),
                ("account namespace", identity.accountNamespaceId),
                ("revoked from", identity.revokedFrom?.accountId),
            ], try .encoding(identity))
    }

    static func devices(_ run: AdminRun) async throws {
        let devices = try await run.admin.listAccountDevices()
        try run.list(
            "devices", ["Device", "Label", "State", "Namespaces"],
            devices.map {
                [
                    $0.deviceId, $0.label ?? "", $0.revoked ? "revoked" : $0.isSelf ? "this node" : "",
                    "\($0.namespaces.count)",
                ]
            }, try devices.map { try Report.encoding($0) })
    }

    static func applications(_ run: AdminRun) async throws {
        let applications = try await run.admin.listAccountApplications()
        try run.list(
            "applications", ["Application", "Namespaces"],
            applications.map { [$0.applicationId, $0.namespaces.joined(separator: " ")] },
            try applications.map { try Report.encoding($0) })
    }

    static func label(_ run: AdminRun) async throws {
        let request = LabelDeviceRequest(label: try run.text("label"))
        let answer = try await run.admin.labelDevice(try run.id("device"), request: request)
        try run.say("Device \(answer.deviceId) is called \(answer.label).", try .encoding(answer))
    }

    static func revoke(_ run: AdminRun) async throws {
        let namespace = try run.id("namespace")
        let device = try run.id("device")
        try await run.confirm("Withdraw device \(device) in every namespace, for good?")
        let answer = try await run.admin.revokeDevice(namespace, request: RevokeDeviceRequest(deviceId: device))
        try run.say("Withdrew device \(answer.deviceId) of account \(answer.accountId).", try .encoding(answer))
    }

    static func new(_ run: AdminRun) async throws {
        let key = try await run.admin.generateContextIdentity().publicKey
        try run.say(key, ["publicKey": .string(key)])
    }
}
