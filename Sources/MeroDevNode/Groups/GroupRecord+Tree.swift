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
        if !contextMetadata.isEmpty { add("contextMetadata", .map(contextMetadata.mapValues(\.tree))) }
        if !contextCapabilities.isEmpty {
            add("contextCapabilities", .map(contextCapabilities.mapValues { .map($0.mapValues { JsonTree($0) }) }))
        }
        if !revokedDevices.isEmpty { add("revoked", JsonTree(revokedDevices.sorted())) }
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
        for entry in tree["contextMetadata"]?.members ?? [] {
            contextMetadata[entry.name] = GroupMetadata(entry.value)
        }
        for entry in tree["contextCapabilities"]?.members ?? [] {
            for grant in entry.value.members {
                contextCapabilities[entry.name, default: [:]][grant.name] = grant.value.integer()
            }
        }
        revokedDevices = Set((tree["revoked"]?.arrayValue ?? []).compactMap(\.stringValue))
    }
}

extension GroupMember {
    var tree: JsonTree {
        var tree: [JsonMember] = [
            JsonMember(name: "role", value: .string(role.rawValue)),
            JsonMember(name: "capabilities", value: JsonTree(capabilities)),
        ]
        if let metadata { tree.append(JsonMember(name: "metadata", value: metadata.tree)) }
        return .object(tree)
    }

    init?(_ tree: JsonTree) {
        guard let role = tree["role"]?.stringValue.flatMap(DevRole.init) else { return nil }
        self.init(
            role: role, capabilities: tree["capabilities"]?.integer() ?? 0,
            metadata: tree["metadata"].flatMap(GroupMetadata.init))
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
        ["account": .string(account), "sign": .string(signingKey), "kem": .string(agreementKey)]
    }

    init?(_ tree: JsonTree) {
        guard let account = tree["account"]?.stringValue, let sign = tree["sign"]?.stringValue,
            let kem = tree["kem"]?.stringValue
        else { return nil }
        self.init(account: account, signingKey: sign, agreementKey: kem)
    }
}

extension JsonTree {
    /// An object whose members stand in the order of their names.
    static func map(_ entries: [String: JsonTree]) -> JsonTree {
        .object(entries.sorted { $0.key < $1.key }.map { JsonMember(name: $0.key, value: $0.value) })
    }
}
