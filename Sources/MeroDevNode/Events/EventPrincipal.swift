/// Whom an event subscription belongs to. Tokens come and go, the principal stays the same.
///
/// Spec: 40, section 2.5.
struct EventPrincipal: Sendable, Equatable {
    enum Owner: Sendable, Equatable {
        /// Every login of the node's owner.
        case nodeOwner
        /// A root key without a login behind it.
        case key(String)
        /// A session of an account, which is never the node's owner, and the device that opened it.
        case account(String, device: String? = nil)
    }

    var owner: Owner
    /// What a client key is bound to, in lower case.
    var contextBinding: String?
    var applicationBinding: String?

    init(owner: Owner, contextBinding: String? = nil, applicationBinding: String? = nil) {
        self.owner = owner
        self.contextBinding = contextBinding
        self.applicationBinding = applicationBinding
    }

    init(_ caller: Caller) {
        switch caller.key.authMethod {
        case AuthService.accountProvider?: owner = .account(caller.claims.subject, device: caller.device)
        case AuthService.mockMethod? where caller.key.kind == .root: owner = .key(caller.key.id)
        default: owner = .nodeOwner
        }
        contextBinding = caller.scopes.contextBinding?.resource?.lowercased()
        applicationBinding = caller.scopes.applicationBinding?.resource?.lowercased()
    }

    var isBound: Bool { contextBinding != nil || applicationBinding != nil }
}

extension EventPrincipal {
    /// How it is kept on disk.
    var tree: JsonTree {
        var members: [JsonMember] = []
        switch owner {
        case .nodeOwner: break
        case .key(let id): members.append(JsonMember(name: "key", value: .string(id)))
        case .account(let id, let device):
            members.append(JsonMember(name: "account", value: .string(id)))
            if let device { members.append(JsonMember(name: "device", value: .string(device))) }
        }
        if let contextBinding { members.append(JsonMember(name: "context", value: .string(contextBinding))) }
        if let applicationBinding {
            members.append(JsonMember(name: "application", value: .string(applicationBinding)))
        }
        return .object(members)
    }

    init(_ tree: JsonTree) {
        if let id = tree["key"]?.stringValue {
            owner = .key(id)
        } else if let id = tree["account"]?.stringValue {
            owner = .account(id, device: tree["device"]?.stringValue)
        } else {
            owner = .nodeOwner
        }
        contextBinding = tree["context"]?.stringValue
        applicationBinding = tree["application"]?.stringValue
    }
}
