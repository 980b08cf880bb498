import Foundation
import MeroKit

/// What an `.mpk` file says: a gzipped tar archive with a `manifest.json` that its publisher signed.
///
/// The node runs contracts of this process in place of the code in a bundle, so nothing in a bundle is trusted: that it is
/// signed and by whom is read, the signature itself is not verified.
struct ApplicationBundle: Sendable {
    struct Damage: Error, CustomStringConvertible {
        let description: String
    }

    struct Service: Sendable {
        let name: String
        let bytecode: [UInt8]
        /// What our manifests say about the contract to run.
        let contract: String?
        let abi: String?
    }

    static let largestUnpacked = 256 << 20
    static let manifestName = "manifest.json"
    /// A member of the manifest that nodes pass over: the name of the contract to run.
    static let contractMember = "devContract"

    let package: String
    let version: String
    let signerId: String
    let contract: String?
    /// JSON text.
    let metadata: String?
    let abi: String?
    let services: [Service]

    /// Throws ``Damage``.
    init(_ bytes: [UInt8]) throws {
        let (archive, manifest) = try Self.open(bytes)
        func required(_ name: String) throws -> String {
            guard let value = manifest[name]?.stringValue, !value.isEmpty else {
                throw Damage(description: "the manifest has no \(name)")
            }
            return value
        }
        package = try required("package")
        version = try required("appVersion")
        guard let signerId = Self.signer(manifest) else { throw Damage(description: "the manifest is not signed") }
        self.signerId = signerId
        contract = manifest[Self.contractMember]?.stringValue
        metadata = manifest["metadata"].flatMap { $0 == .null ? nil : $0.text }
        abi = try Self.abi(manifest, archive)
        services = try (manifest["services"]?.arrayValue ?? []).map { service in
            guard let name = service["name"]?.stringValue, let path = service["wasm"]?["path"]?.stringValue,
                let bytecode = archive[path]
            else { throw Damage(description: "a service of the manifest has no name or no code") }
            return Service(
                name: name, bytecode: bytecode, contract: service[Self.contractMember]?.stringValue,
                abi: try Self.abi(service, archive))
        }
        guard services.isEmpty else { return }
        guard let path = manifest["wasm"]?["path"]?.stringValue, archive[path] != nil else {
            throw Damage(description: "the manifest names no code")
        }
    }

    private static func open(_ bytes: [UInt8]) throws -> (TarArchive, JsonTree) {
        let archive: TarArchive
        do {
            let unpacked = try RawDeflate.inflate(bytes, limit: largestUnpacked, wrapper: .gzip)
            archive = try TarArchive(reading: unpacked)
        } catch {
            throw Damage(description: "not an archive: \(error)")
        }
        guard let text = archive[manifestName], let manifest = try? JsonParser.parse(text) else {
            throw Damage(description: "no readable \(manifestName)")
        }
        return (archive, manifest)
    }

    /// The manifest as it is. Throws ``Damage``.
    static func manifest(of bytes: [UInt8]) throws -> JsonTree { try open(bytes).1 }

    private static func abi(_ owner: JsonTree, _ archive: TarArchive) throws -> String? {
        guard let path = owner["abi"]?["path"]?.stringValue else { return nil }
        guard let bytes = archive[path], let abi = try? JsonParser.parse(bytes) else {
            throw Damage(description: "\(path) is no ABI")
        }
        return abi.text
    }

    /// Nil when nobody signed it.
    private static func signer(_ manifest: JsonTree) -> String? {
        guard let signature = manifest["signature"], let text = signature["signature"]?.stringValue, !text.isEmpty
        else { return nil }
        if let named = manifest["signerId"]?.stringValue, !named.isEmpty { return named }
        guard let key = signature["publicKey"]?.stringValue else { return nil }
        let bytes = [Hex.decode(key), Base64URL.decode(key), Data(base64Encoded: key).map(Array.init)]
            .compactMap { $0 }.first { $0.count == 32 }
        return bytes.map(Self.signerId)
    }

    /// How an Ed25519 key is written as a signer.
    static func signerId(ofKey key: some Sequence<UInt8>) -> String {
        "did:key:z" + Base58.encode([0xed, 0x01] + Array(key))
    }
}
