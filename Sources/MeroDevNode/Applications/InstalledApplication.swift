/// An application on this node, in every version that was installed.
struct InstalledApplication: Sendable, Equatable {
    let id: String
    let package: String
    let signerId: String
    /// Position in the order of installation.
    let order: Int
    /// In the order of installation.
    var releases: [InstalledRelease] = []

    /// Not the one that was installed last.
    var newest: InstalledRelease? {
        releases.max { SemanticVersion($0.version) < SemanticVersion($1.version) }
    }

    func release(_ version: String?) -> InstalledRelease? {
        guard let version else { return newest }
        return releases.first { $0.version == version }
    }

    var tree: JsonTree {
        [
            "package": .string(package), "signer": .string(signerId), "order": JsonTree(order),
            "releases": .array(releases.map(\.tree)),
        ]
    }

    init(id: String, package: String, signerId: String, order: Int) {
        self.id = id
        self.package = package
        self.signerId = signerId
        self.order = order
    }

    init?(id: String, _ tree: JsonTree) {
        guard let package = tree["package"]?.stringValue, let signerId = tree["signer"]?.stringValue else { return nil }
        self.init(id: id, package: package, signerId: signerId, order: tree["order"]?.integer() ?? 0)
        releases = (tree["releases"]?.arrayValue ?? []).compactMap(InstalledRelease.init)
    }
}

/// One version of an application.
struct InstalledRelease: Sendable, Equatable {
    var version: String
    /// The bundle, as a blob.
    var blobId: String
    var size: UInt64
    /// Where it came from.
    var source: String
    /// The name of the contract that stands for its code.
    var contract: String
    /// Text about it that its manifest carries.
    var metadata: String?
    /// JSON text.
    var abi: String?
    /// By name, in the order of the manifest; empty for an application of one service without a name.
    var services: [InstalledService] = []

    func service(_ name: String) -> InstalledService? { services.first { $0.name == name } }

    var tree: JsonTree {
        var members: [JsonMember] = [
            JsonMember(name: "version", value: .string(version)), JsonMember(name: "blob", value: .string(blobId)),
            JsonMember(name: "size", value: JsonTree(size)), JsonMember(name: "source", value: .string(source)),
            JsonMember(name: "contract", value: .string(contract)),
        ]
        if let metadata { members.append(JsonMember(name: "metadata", value: .string(metadata))) }
        if let abi { members.append(JsonMember(name: "abi", value: .string(abi))) }
        if !services.isEmpty { members.append(JsonMember(name: "services", value: .array(services.map(\.tree)))) }
        return .object(members)
    }

    init(version: String, blobId: String, size: UInt64, source: String, contract: String) {
        self.version = version
        self.blobId = blobId
        self.size = size
        self.source = source
        self.contract = contract
    }

    init?(_ tree: JsonTree) {
        guard let version = tree["version"]?.stringValue, let blobId = tree["blob"]?.stringValue,
            let size = tree["size"]?.integer(UInt64.self), let contract = tree["contract"]?.stringValue
        else { return nil }
        self.init(
            version: version, blobId: blobId, size: size, source: tree["source"]?.stringValue ?? "",
            contract: contract)
        metadata = tree["metadata"]?.stringValue
        abi = tree["abi"]?.stringValue
        services = (tree["services"]?.arrayValue ?? []).compactMap(InstalledService.init)
    }
}

/// One of several programs in a bundle.
struct InstalledService: Sendable, Equatable {
    var name: String
    /// Its bytecode, as a blob.
    var blobId: String
    var contract: String
    /// JSON text.
    var abi: String?

    var tree: JsonTree {
        var members: [JsonMember] = [
            JsonMember(name: "name", value: .string(name)), JsonMember(name: "blob", value: .string(blobId)),
            JsonMember(name: "contract", value: .string(contract)),
        ]
        if let abi { members.append(JsonMember(name: "abi", value: .string(abi))) }
        return .object(members)
    }

    init(name: String, blobId: String, contract: String, abi: String?) {
        self.name = name
        self.blobId = blobId
        self.contract = contract
        self.abi = abi
    }

    init?(_ tree: JsonTree) {
        guard let name = tree["name"]?.stringValue, let blobId = tree["blob"]?.stringValue,
            let contract = tree["contract"]?.stringValue
        else { return nil }
        self.init(name: name, blobId: blobId, contract: contract, abi: tree["abi"]?.stringValue)
    }
}
