import MeroKit

/// What the commands of `mero alias` do.
enum AliasActs {
    enum Kind: String, CaseIterable, Sendable {
        case context, app, device
    }

    static func list(_ run: AdminRun) async throws {
        let kinds = run.arguments.operand("kind").flatMap(Kind.init).map { [$0] } ?? Kind.allCases
        let admin = try await run.admin
        var entries: [(kind: Kind, name: String, id: String)] = []
        for kind in kinds {
            let found: ListAliasesResponseData
            switch kind {
            case .context: found = try await admin.listContextAliases()
            case .app: found = try await admin.listApplicationAliases()
            case .device: found = try await admin.listDeviceAliases()
            }
            entries += found.aliases.map { (kind, $0.name, $0.value) }
        }
        try run.list(
            "aliases", ["Kind", "Name", "Id"], entries.map { [$0.kind.rawValue, $0.name, $0.id] },
            entries.map { ["kind": .string($0.kind.rawValue), "name": .string($0.name), "id": .string($0.id)] })
    }

    static func show(_ run: AdminRun) async throws {
        let (kind, name) = try named(run)
        guard let id = try await lookup(kind, name, try await run.admin) else {
            throw Failure(
                code: .refused, message: "The node knows no \(kind.rawValue) by the name \(name)",
                hint: "\"mero alias list\" shows the names")
        }
        try run.say(id, ["kind": .string(kind.rawValue), "name": .string(name), "id": .string(id)])
    }

    /// Nil for a name that stands for nothing.
    static func lookup(_ kind: Kind, _ name: String, _ admin: AdminApi) async throws -> String? {
        switch kind {
        case .context: return try await admin.lookupContextAlias(name).value
        case .app: return try await admin.lookupApplicationAlias(name).value
        case .device: return try await admin.lookupDeviceAlias(name).value
        }
    }

    static func add(_ run: AdminRun) async throws {
        let (kind, name) = try named(run)
        let id = try run.id("id")
        let admin = try await run.admin
        switch kind {
        case .context:
            _ = try await admin.createContextAlias(CreateContextAliasRequest(alias: name, contextId: id))
        case .app:
            let request = CreateApplicationAliasRequest(alias: name, applicationId: id)
            _ = try await admin.createApplicationAlias(request)
        case .device:
            _ = try await admin.createDeviceAlias(CreateDeviceAliasRequest(alias: name, deviceId: id))
        }
        try run.say(
            "\(name) stands for \(id).", ["kind": .string(kind.rawValue), "name": .string(name), "id": .string(id)])
    }

    static func remove(_ run: AdminRun) async throws {
        let (kind, name) = try named(run)
        let admin = try await run.admin
        switch kind {
        case .context: _ = try await admin.deleteContextAlias(name)
        case .app: _ = try await admin.deleteApplicationAlias(name)
        case .device: _ = try await admin.deleteDeviceAlias(name)
        }
        try run.say(
            "\(name) stands for nothing any more.",
            ["kind": .string(kind.rawValue), "name": .string(name), "removed": true])
    }

    private static func named(_ run: AdminRun) throws -> (Kind, String) {
        guard let kind = run.arguments.operand("kind").flatMap(Kind.init) else {
            throw Failure(code: .usage, message: "<kind> is missing", hint: "Nothing was sent")
        }
        return (kind, try run.text("name"))
    }
}
