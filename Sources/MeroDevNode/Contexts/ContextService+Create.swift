import Foundation
import MeroKit

/// `POST /contexts`.
///
/// Spec: 20, section 6.1.
extension ContextService {
    private static let largestParameters = 1 << 20
    private static let longestName = 64
    private static let fields = [
        "applicationId", "serviceName", "contextSeed", "initializationParams", "groupId", "identitySecret", "name",
    ]

    private struct Request {
        let applicationId: String
        let groupId: String
        let parameters: [UInt8]
        let serviceName: String?
        let seed: String?
        let secret: [UInt8]?
        let name: String?

        init(_ body: AdminBody) throws {
            let (group, secret) = try body { (try $0.string("groupId"), try $0.optionalString("identitySecret")) }
            (applicationId, parameters, serviceName, seed, name) = try body {
                (
                    try $0.id("applicationId"), try $0.bytes("initializationParams"),
                    try $0.optionalString("serviceName"), try $0.optionalId("contextSeed"),
                    try $0.optionalString("name")
                )
            }
            var checks = BodyCheck()
            checks.size("initializationParams", parameters.count, max: ContextService.largestParameters)
            checks.text("name", name ?? "", max: ContextService.longestName, isRequired: false)
            try checks.finish()
            groupId = Hex.encode(try Self.bytes("group_id", group))
            self.secret = try secret.map { try Self.bytes("identity_secret", $0) }
        }

        private static func bytes(_ name: String, _ text: String) throws -> [UInt8] {
            guard let bytes = Hex.decode(text) else {
                throw NodeRefusal(400, "Invalid \(name): expected hex-encoded 32 bytes")
            }
            guard bytes.count == 32 else { throw NodeRefusal(400, "Invalid \(name): must be exactly 32 bytes") }
            return bytes
        }
    }

    func create(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let request = try Request(AdminBody.read(call.request, Self.fields, limit: .max))
            guard status.readiness == .ready else {
                throw NodeRefusal(503, "this node is not ready: \(status.readiness.rawValue)")
            }
            let choice = try choice(request)
            let actor = call.caller?.account ?? nodeAccount
            try groups.read { state in
                guard let group = state[request.groupId] else { throw RelayService.unknownGroup }
                try state.require(GroupCapability.createContext, actor, in: request.groupId)
                guard group.target == nil || group.target?.applicationId == request.applicationId else {
                    throw NodeRefusal(409, "this group targets another application")
                }
            }
            let id =
                try request.seed.map { try Self.id(seed: $0, in: request.groupId) }
                ?? Hex.encode(SecureRandom.bytes(32))
            let box = try await make(id, choice, request)
            try attach(box, choice.target, request, actor)
            hub.announce([], namespace: groups.read { $0.namespace(of: request.groupId) })
            return .json(
                200,
                [
                    "data": [
                        "contextId": .string(id), "memberPublicKey": .string(box.executor),
                        "groupId": .string(request.groupId), "groupCreated": false,
                    ]
                ])
        }
    }

    /// As for a context that an account has made by a warrant.
    private static func id(seed: String, in group: String) throws -> String {
        Hex.encode(domainHash("dev.context.id", [Data(Hex.decode(group) ?? []), Data(Hex.decode(seed) ?? [])]))
    }

    /// What a new context runs.
    private struct Choice {
        let target: GroupTarget
        let program: ContextProgram
        let contract: any DevContract
    }

    /// The release that the group names, if it is of this application, else the newest.
    private func choice(_ request: Request) throws -> Choice {
        let applications = contexts.applications
        guard let newest = applications.target(ofApplication: request.applicationId) else {
            throw NodeRefusal(404, "Application not found")
        }
        let named = groups.read { $0[request.groupId]?.target }
        let target = named.flatMap { $0.applicationId == newest.applicationId ? $0 : nil } ?? newest
        let application = applications[request.applicationId]
        let release = application?.release(target.version) ?? application?.newest
        let services = release?.services.map(\.name) ?? []
        if let service = request.serviceName {
            guard !services.isEmpty else { throw NodeRefusal(400, "this application has no services") }
            guard services.contains(service) else {
                throw NodeRefusal(400, "no such service: \(service); there are \(services.joined(separator: ", "))")
            }
        } else if services.count > 1 {
            throw NodeRefusal(
                400, "this application has several services, name one of \(services.joined(separator: ", "))")
        }
        let contract = applications.contract(of: target, service: request.serviceName ?? services.first)
        guard let contract else { throw NodeRefusal(404, "the bytecode of this application is not on this node") }
        return Choice(
            target: target,
            program: ContextProgram(
                applicationId: request.applicationId, contract: contract.name, version: target.version,
                service: request.serviceName),
            contract: contract)
    }

    /// Runs the application's `init` if it has one; a context that it refuses never was.
    private func make(_ id: String, _ choice: Choice, _ request: Request) async throws -> ContextBox {
        let collision = NodeRefusal(409, "a context of this seed exists already in this group; pick a fresh seed")
        let box: ContextBox
        do {
            let executor = try identities.keep(seed: request.secret ?? SecureRandom.bytes(32))
            box = try contexts.newBox(
                choice.contract, id: id, role: .member, program: choice.program, executor: executor)
        } catch DevNodeError.contextExists {
            throw collision
        }
        do {
            if box.isReadOnly("init") != nil {
                _ = try await box.run("init", try Self.arguments(request.parameters))
            }
            try contexts.add(box)
            return box
        } catch {
            contexts.discard(box)
            guard let failure = error as? RpcFailure else { throw error }
            throw NodeRefusal(400, failure.data?.stringValue ?? failure.type)
        }
    }

    /// As the application would read them. Throws `RpcFailure`.
    private static func arguments(_ parameters: [UInt8]) throws -> JsonTree {
        guard !parameters.isEmpty else { return [:] }
        do {
            return try JsonParser.parse(parameters)
        } catch {
            throw RpcFailure.functionCall("Failed to deserialize input from JSON: \(error)")
        }
    }

    private func attach(_ box: ContextBox, _ target: GroupTarget, _ request: Request, _ actor: String) throws {
        let now = Int64(clock.now.timeIntervalSince1970 * 1000)
        let isAttached = try groups.change { state -> Bool in
            guard state.attach(context: box.id, to: request.groupId) else { return false }
            if state[request.groupId]?.target == nil { state.groups[request.groupId]?.target = target }
            if let name = request.name, !name.isEmpty {
                state.groups[request.groupId]?.contextMetadata[box.id] = GroupMetadata(
                    name: name, data: [], updatedAt: now, updatedBy: actor)
            }
            return true
        }
        guard isAttached else {
            _ = try contexts.remove(box.id)
            throw RelayService.unknownGroup
        }
    }
}
