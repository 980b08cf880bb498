/// How groups and devices are kept on disk.
extension GroupRecord {
    var tree: JsonTree {
        var tree: [JsonMember] = [
            JsonMember(name: "open", value: .bool(isOpen)),
            JsonMember(name: "owner", value: .string(owner)),
            JsonMember(name: "created", value: JsonTree(createdAt)),
            JsonMember(name: "members", value: .map(members.mapValues(\.tree))),
            JsonMember(name: "contexts", value: JsonTree(contexts)),
            JsonMember(name: "defaults", value: JsonTree(defaultCapabilities)),
        ]
        func add(_ name: String, _ value: JsonTree?) {
            if let value { tree.append(JsonMember(name: name, value: value)) }
        }
        add("parent", parent.map { .string($0) })
        add("target", target?.tree)
        add("metadata", metadata?.tree)
        add("salt", salt.map { .string($0) })
        add("founder", firstOwner.map { .string($0) })
        if !contextMetadata.isEmpty { add("contextMetadata", .map(contextMetadata.mapValues(\.tree))) }
        if !contextCapabilities.isEmpty {
            add("contextCapabilities", .map(contextCapabilities.mapValues { .map($0.mapValues { JsonTree($0) }) }))
        }
        if ownerOpCounter > 0 { add("ownerOps", JsonTree(ownerOpCounter)) }
        add("upgrade", upgrade?.tree)
        for (name, set) in [
            ("revoked", revokedDevices), ("bound", boundDevices), ("used", usedInvitations), ("barred", barred),
        ] where !set.isEmpty {
            add(name, JsonTree(set.sorted()))
        }
        if !rootKeys.isEmpty { add("rootKeys", .map(rootKeys.mapValues { JsonTree($0) })) }
        add("teeAdmission", teeAdmission?.tree)
        if !teeAuthoring.isEmpty { add("teeAuthoring", JsonTree(teeAuthoring)) }
        return .object(tree)
    }

    init?(_ tree: JsonTree) {
        guard let owner = tree["owner"]?.stringValue else { return nil }
        self.init(owner: owner)
        parent = tree["parent"]?.stringValue
        isOpen = tree["open"]?.boolValue ?? false
        createdAt = tree["created"]?.integer() ?? 0
        for member in tree["members"]?.members ?? [] { members[member.name] = GroupMember(member.value) }
        contexts = (tree["contexts"]?.arrayValue ?? []).compactMap(\.stringValue)
        defaultCapabilities = tree["defaults"]?.integer() ?? GroupCapability.initial
        target = tree["target"].flatMap(GroupTarget.init)
        metadata = tree["metadata"].flatMap(GroupMetadata.init)
        salt = tree["salt"]?.stringValue
        firstOwner = tree["founder"]?.stringValue
        for entry in tree["contextMetadata"]?.members ?? [] {
            contextMetadata[entry.name] = GroupMetadata(entry.value)
        }
        for entry in tree["contextCapabilities"]?.members ?? [] {
            for grant in entry.value.members {
                contextCapabilities[entry.name, default: [:]][grant.name] = grant.value.integer()
            }
        }
        func set(_ name: String) -> Set<String> { Set(tree[name]?.texts ?? []) }
        ownerOpCounter = tree["ownerOps"]?.integer() ?? 0
        upgrade = tree["upgrade"].flatMap(GroupUpgrade.init)
        revokedDevices = set("revoked")
        boundDevices = set("bound")
        usedInvitations = set("used")
        barred = set("barred")
        for entry in tree["rootKeys"]?.members ?? [] { rootKeys[entry.name] = entry.value.texts }
        teeAdmission = tree["teeAdmission"].flatMap(TeeAdmissionPolicy.init)
        teeAuthoring = tree["teeAuthoring"]?.texts ?? []
    }
}

extension GroupMember {
    var tree: JsonTree {
        var tree: [JsonMember] = [
            JsonMember(name: "role", value: .string(role.rawValue)),
            JsonMember(name: "capabilities", value: JsonTree(capabilities)),
        ]
        if let metadata { tree.append(JsonMember(name: "metadata", value: metadata.tree)) }
        if let autoFollow {
            tree.append(
                JsonMember(
                    name: "follows",
                    value: ["contexts": .bool(autoFollow.contexts), "subgroups": .bool(autoFollow.subgroups)]))
        }
        return .object(tree)
    }

    init?(_ tree: JsonTree) {
        guard let role = tree["role"]?.stringValue.flatMap(DevRole.init) else { return nil }
        self.init(
            role: role, capabilities: tree["capabilities"]?.integer() ?? 0,
            metadata: tree["metadata"].flatMap(GroupMetadata.init))
        if let follows = tree["follows"] {
            autoFollow = AutoFollow(
                contexts: follows["contexts"]?.boolValue ?? false, subgroups: follows["subgroups"]?.boolValue ?? false)
        }
    }
}

extension GroupTarget {
    var tree: JsonTree {
        [
            "application": .string(applicationId), "bytecode": .string(bytecodeId), "package": .string(package),
            "version": .string(version),
        ]
    }

    init?(_ tree: JsonTree) {
        guard let application = tree["application"]?.stringValue, let bytecode = tree["bytecode"]?.stringValue,
            let package = tree["package"]?.stringValue, let version = tree["version"]?.stringValue
        else { return nil }
        self.init(applicationId: application, bytecodeId: bytecode, package: package, version: version)
    }
}

extension GroupMetadata {
    /// On disk: a list of pairs, since Swift would take two spellings of one name for the same key.
    var tree: JsonTree {
        [
            "name": name.map { .string($0) } ?? .null,
            "data": .array(data.map { [.string($0.key), .string($0.value)] }), "at": JsonTree(updatedAt),
            "by": .string(updatedBy),
        ]
    }

    init?(_ tree: JsonTree) {
        guard let by = tree["by"]?.stringValue else { return nil }
        self.init(
            name: tree["name"]?.stringValue,
            data: (tree["data"]?.arrayValue ?? []).compactMap { pair in
                guard let items = pair.arrayValue, items.count == 2, let key = items[0].stringValue,
                    let value = items[1].stringValue
                else { return nil }
                return GroupMetadataEntry(key: key, value: value)
            },
            updatedAt: tree["at"]?.integer() ?? 0, updatedBy: by)
    }
}

extension DeviceRecord {
    var tree: JsonTree {
        var tree: [JsonMember] = [
            JsonMember(name: "account", value: .string(account)), JsonMember(name: "sign", value: .string(signingKey)),
            JsonMember(name: "kem", value: .string(agreementKey)),
        ]
        if isManaged { tree.append(JsonMember(name: "managed", value: true)) }
        if !applications.isEmpty { tree.append(JsonMember(name: "applications", value: JsonTree(applications))) }
        if scopeEpoch > 0 { tree.append(JsonMember(name: "scopeEpoch", value: JsonTree(scopeEpoch))) }
        if isRevoked { tree.append(JsonMember(name: "revoked", value: true)) }
        if let label {
            tree.append(
                JsonMember(
                    name: "label", value: [.string(label), JsonTree(labelEpoch), JsonTree(labelledAt)]))
        }
        return .object(tree)
    }

    init?(_ tree: JsonTree) {
        guard let account = tree["account"]?.stringValue, let sign = tree["sign"]?.stringValue,
            let kem = tree["kem"]?.stringValue
        else { return nil }
        self.init(account: account, signingKey: sign, agreementKey: kem)
        isManaged = tree["managed"]?.boolValue ?? false
        applications = tree["applications"]?.texts ?? []
        scopeEpoch = tree["scopeEpoch"]?.integer() ?? 0
        isRevoked = tree["revoked"]?.boolValue ?? false
        if let parts = tree["label"]?.arrayValue, parts.count == 3 {
            label = parts[0].stringValue
            labelEpoch = parts[1].integer() ?? 0
            labelledAt = parts[2].integer() ?? 0
        }
    }
}

extension JsonTree {
    /// An object whose members stand in the order of their names.
    static func map(_ entries: [String: JsonTree]) -> JsonTree {
        .object(entries.sorted { $0.key < $1.key }.map { JsonMember(name: $0.key, value: $0.value) })
    }

    /// The texts of an array.
    var texts: [String] { (arrayValue ?? []).compactMap(\.stringValue) }
}
