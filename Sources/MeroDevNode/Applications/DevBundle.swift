import Foundation
import MeroKit

/// An application to install on a dev node, as the `.mpk` file that a real node would take, too, were there code in it.
///
/// ```swift
/// let bundle = try DevBundle(package: "com.example.chat", version: "1.2.0", contract: KeyValueContract())
/// try bundle.data.write(to: file)
/// // POST /admin-api/install-dev-application {"path": file.path}
/// ```
/// Equal arguments make equal bytes.
public struct DevBundle: Sendable {
    /// The file.
    public let data: Data
    /// The id the application has on every node, 64 hex; the version has no part in it.
    public let applicationId: String

    /// A key that everybody knows, so that a package has the same id wherever it is made.
    private static let knownSeed = Data(Digest.sha256(Array("MeroDevNode's own publisher".utf8)))

    /// - Parameters:
    ///   - package: at most 128 bytes.
    ///   - version: at most 64 bytes.
    ///   - contract: what runs in its place; see ``DevApplications`` for what does when it is nil.
    ///   - services: the contracts of a bundle with several services, by the services' names.
    ///   - abi: JSON text; the node makes one of the contract's methods when it is nil.
    ///   - signingSeed: the publisher's Ed25519 seed of 32 bytes; a key that all dev nodes share unless given.
    /// - Throws: ``DevNodeError/invalidBundle(_:)``.
    public init(
        package: String, version: String, contract: (any DevContract)? = nil,
        services: [String: any DevContract] = [:], abi: String? = nil, signingSeed: Data? = nil
    ) throws {
        guard (1...128).contains(package.utf8.count), (1...64).contains(version.utf8.count) else {
            throw DevNodeError.invalidBundle("a package has 1 to 128 bytes, a version 1 to 64")
        }
        let seed = signingSeed ?? Self.knownSeed
        do {
            var archive = TarArchive()
            var members: [String: JsonTree] = [
                "version": "1.0", "package": .string(package), "appVersion": .string(version),
            ]
            members[ApplicationBundle.contractMember] = contract.map { .string($0.name) }
            func artifact(_ path: String, _ content: [UInt8]) -> JsonTree {
                archive.add(path, content)
                return [
                    "path": .string(path), "size": JsonTree(content.count),
                    "hash": .string(Hex.encode(Digest.sha256(content))),
                ]
            }
            if services.isEmpty {
                members["wasm"] = artifact("app.wasm", Self.module("\(package)@\(version)"))
            } else {
                members["services"] = .array(
                    services.sorted { $0.key < $1.key }.enumerated().map { index, service in
                        [
                            "name": .string(service.key),
                            "wasm": artifact(
                                "service-\(index).wasm", Self.module("\(package)@\(version)/\(service.key)")),
                            "devContract": .string(service.value.name),
                        ]
                    })
            }
            if let abi { members["abi"] = artifact("abi.json", try JsonParser.parse(abi.utf8).bytes) }
            let key = try Ed25519.publicKey(seed: seed)
            let signer = ApplicationBundle.signerId(ofKey: key)
            members["signerId"] = .string(signer)
            let digest = Digest.sha256(JsonTree.map(members).bytes)
            members["signature"] = [
                "algorithm": "ed25519", "publicKey": .string(Base64URL.encode(Array(key))),
                "signature": .string(
                    Base64URL.encode(Array(try Ed25519.sign(seed: seed, message: Data(digest))))),
            ]
            archive.add(ApplicationBundle.manifestName, JsonTree.map(members).bytes)
            data = Data(try RawDeflate.deflate(archive.bytes, wrapper: .gzip))
            applicationId = ApplicationRegistry.applicationIdForBundle(package: package, signerId: signer)
        } catch let error as DevNodeError {
            throw error
        } catch {
            throw DevNodeError.invalidBundle("\(error)")
        }
    }

    /// The smallest WebAssembly module, with a section that tells it apart.
    private static func module(_ name: String) -> [UInt8] {
        func length(_ count: Int) -> [UInt8] {
            var (rest, bytes) = (count, [UInt8]())
            repeat {
                bytes.append(UInt8(rest & 0x7f) | (rest > 0x7f ? 0x80 : 0))
                rest >>= 7
            } while rest > 0
            return bytes
        }
        let label = Array("dev-release".utf8)
        let payload = length(label.count) + label + Array(name.utf8)
        return [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00, 0x00] + length(payload.count) + payload
    }
}
