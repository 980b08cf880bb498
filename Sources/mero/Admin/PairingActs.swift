import Foundation
import MeroKit

/// One account on several nodes: `mero identity pair`, `complete`, `relink`, `scope` and `link`.
enum PairingActs {
    /// What the new node shows, as one word to carry over.
    private struct Request: Codable {
        var deviceId: String
        var kemPublicKey: String
        var signPublicKey: String
        var statement: String
    }

    static func pair(_ run: AdminRun) async throws {
        let root = try run.id("root-key")
        let home = try run.id("account-namespace")
        let namespaces = try run.arguments.texts(.pairNamespace).map {
            try AdminRun.checked($0, as: OptionSpec.pairNamespace.flag)
        }
        try await run.confirm("Make this node a device of another account, in place of its own?")
        let begun = try await run.admin.accountPairInit(
            AccountPairInitRequest(accountRootPublicKey: root, namespaces: namespaces, accountNamespace: home))
        let request = try MeroJSON.encode(
            Request(
                deviceId: begun.deviceId, kemPublicKey: begun.kemPublicKey, signPublicKey: begun.signPublicKey,
                statement: begun.statement))
        let word = Base64URL.encode(Array(request))
        try run.show(
            [
                ("account", begun.accountId), ("device", begun.deviceId), ("code", begun.confirmationCode),
                ("request", word),
            ], try Report.encoding(begun).with("request", .string(word)))
        try run.console.remark(
            "Within five minutes, on the node that holds the account's root: mero identity complete REQUEST CODE")
    }

    static func complete(_ run: AdminRun) async throws {
        let word = try run.text("request")
        guard let bytes = Base64URL.decode(word),
            let request = try? MeroJSON.decode(Request.self, from: Data(bytes))
        else {
            throw Failure(
                code: .usage, message: "<request> is not what \"mero identity pair\" printed",
                hint: "Copy the whole word; nothing was sent")
        }
        let applications = try run.arguments.texts(.scopeApplication).map {
            try AdminRun.checked($0, as: OptionSpec.scopeApplication.flag)
        }
        let done = try await run.admin.accountPairComplete(
            AccountPairCompleteRequest(
                deviceId: request.deviceId, kemPublicKey: request.kemPublicKey,
                signPublicKey: request.signPublicKey, statement: request.statement,
                confirmationCode: try run.text("code"), applications: applications))
        try run.say(
            "\(done.deviceId) is a device of account \(done.accountId)"
                + (done.keyDelivered ? "." : "; it still has to fetch the keys."), try .encoding(done))
    }

    static func relink(_ run: AdminRun) async throws {
        let applications = try run.ids("application")
        let answer = try await run.admin.relinkDevice(
            try run.id("device"), request: RelinkDeviceRequest(applications: applications))
        try tell(
            run, try .encoding(answer), applications: answer.applications, linked: answer.linkedIn,
            skipped: answer.skipped, descoped: [])
    }

    static func scope(_ run: AdminRun) async throws {
        let device = try run.id("device")
        let words = run.arguments.operandWords("application")
        let scope: DeviceScope = words == ["all"] ? .all : .only(try run.ids("application"))
        let answer = try await run.admin.rescopeDevice(device, request: RescopeDeviceRequest(scope: scope))
        try tell(
            run, try .encoding(answer), applications: answer.applications, linked: answer.linkedIn,
            skipped: answer.skipped, descoped: answer.descoped)
    }

    private static func tell(
        _ run: AdminRun, _ document: Report, applications: [String], linked: [RelinkOutcomeEntry],
        skipped: [RelinkSkipEntry], descoped: [RescopeDescopeEntry]
    ) throws {
        try run.show(
            [("applications", applications.isEmpty ? "all" : applications.joined(separator: " "))], document)
        let rows =
            linked.map { [$0.namespaceId, $0.keyDelivered ? "linked" : "linked, keys still to be fetched"] }
            + descoped.map {
                [$0.namespaceId, $0.keyRotated ? "out" : "out, and it can read on until an admin changes the key"]
            } + skipped.map { [$0.namespaceId, reasons[$0.reason] ?? $0.reason] }
        guard !rows.isEmpty else { return }
        try run.console.table(Table(header: ["Namespace", "Device"], rows: rows))
    }

    private static let reasons = [
        "outOfScope": "out of its scope", "alreadyBound": "in already", "noScopeKey": "no key for it here yet",
        "revoked": "revoked", "ownDevice": "this node's own", "failed": "failed",
    ]

    static func link(_ run: AdminRun) async throws {
        let namespace = try run.id("namespace")
        let request = LinkAccountDeviceRequest(credential: try run.text("credential"), scope: try run.text("scope"))
        let answer = try await run.admin.linkAccountDevice(namespace, request: request)
        try run.say(
            "Device \(answer.deviceId) speaks for account \(answer.accountId) in namespace \(namespace)"
                + (answer.alreadyBound ? ", as before." : "."),
            try Report.encoding(answer).with("namespaceId", .string(namespace)))
    }
}

extension OptionSpec {
    static let pairNamespace = OptionSpec(
        name: "namespace", value: .text("ID"),
        help: "A namespace of the account to be in from the start.", repeats: true)
    static let scopeApplication = OptionSpec(
        name: "application", short: "a", value: .text("ID"),
        help: "An application that the device is for; every one when not given.", repeats: true)
}
