#if DEBUG || MEROKIT_FUZZING
    import Foundation
    @testable import MeroKit

    /// Sound inputs, to be spoilt.
    struct Seeds {
        struct Unreadable: Error { let file: String }

        struct Attestation {
            let quote: [UInt8]
            let collateral: [String: JSONValue]
            let now: Date
            let root: Data
            let result: VerifiedReport
        }

        struct Release {
            let file: [UInt8]
            let bundle: [UInt8]
            let root: SigstoreTrustRoot
            let result: PublishedMrtds
        }

        private(set) var attestations: [Attestation] = []
        private(set) var releases: [Release] = []
        /// By kind of input.
        private(set) var parts: [InputKind: [[UInt8]]] = [:]

        /// - Parameter folder: Where the fixtures are.
        init(folder: URL) throws {
            try readAttestations(Self.json(folder, "dcap-synthetic.json"))
            try readReleases(Self.json(folder, "sigstore-synthetic.json"))
            add(.certificate, [IntelRoot.certificate])
            for kind in InputKind.allCases where parts[kind]?.isEmpty ?? true { throw Unreadable(file: kind.rawValue) }
        }

        private static func json(_ folder: URL, _ name: String) throws -> JSONValue {
            try MeroJSON.decode(JSONValue.self, from: Data(contentsOf: folder.appendingPathComponent(name)))
        }

        private mutating func add(_ kind: InputKind, _ inputs: [some Sequence<UInt8>]) {
            parts[kind, default: []] += inputs.map { Array($0) }
        }

        private mutating func readAttestations(_ json: JSONValue) throws {
            guard let now = json["now"]?.doubleValue, let root = json["rootCaDer"]?.stringValue.flatMap(Hex.decode)
            else {
                throw Unreadable(file: "dcap-synthetic.json")
            }
            for entry in json["cases"]?.arrayValue ?? [] {
                guard let quote = entry["quote"]?.stringValue.flatMap(Hex.decode),
                    let collateral = entry["collateral"]?.objectValue
                else { continue }
                add(.quote, [quote])
                add(.collateral, [try JSONWriter.bytes(of: .object(collateral))])
                for list in ["root_ca_crl", "pck_crl"] {
                    add(.revocationList, [collateral[list]?.stringValue.flatMap(Hex.decode)].compactMap { $0 })
                }
                add(.tcbInfo, [Array((collateral["tcb_info"]?.stringValue ?? "").utf8)])
                add(.qeIdentity, [Array((collateral["qe_identity"]?.stringValue ?? "").utf8)])
                if let start = quote.indices.first(where: { quote[$0...].starts(with: Array("-----BEGIN".utf8)) }) {
                    let text = quote[start...].prefix { $0 != 0 }
                    add(.pem, [text])
                    if let blocks = try? PemBlocks.decode(text) {
                        add(.certificate, blocks)
                        add(.platform, blocks.compactMap(Self.platform))
                        add(.signature, blocks.compactMap(Self.signature))
                    }
                }
                if let result = try? DcapVerifier.verify(
                    quote: Data(quote), collateral: .object(collateral), now: Date(timeIntervalSince1970: now),
                    rootCA: Data(root))
                {
                    attestations.append(
                        Attestation(
                            quote: quote, collateral: collateral, now: Date(timeIntervalSince1970: now),
                            root: Data(root),
                            result: result))
                }
            }
        }

        /// Intel's extension, found by the bytes of its name.
        private static func platform(_ certificate: [UInt8]) -> [UInt8]? {
            let name: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF8, 0x4D, 0x01, 0x0D, 0x01, 0x04, 0x82]
            guard let found = certificate.indices.first(where: { certificate[$0...].starts(with: name) }) else {
                return nil
            }
            let start = found + name.count + 2
            let length = certificate[(start - 2)..<start].reduce(0) { $0 << 8 | Int($1) }
            return Array(certificate[start..<(start + length)])
        }

        /// What stands at the end of a certificate: a sequence that is as long as it says.
        private static func signature(_ certificate: [UInt8]) -> [UInt8]? {
            (60...72).lazy.map { Array(certificate.suffix($0)) }.first { $0[0] == 0x30 && Int($0[1]) == $0.count - 2 }
        }

        private mutating func readReleases(_ json: JSONValue) throws {
            for entry in json["cases"]?.arrayValue ?? [] {
                guard let file = entry["file"]?.stringValue, let bundle = entry["bundle"]?.stringValue,
                    let root = entry["trustRoot"]
                else { throw Unreadable(file: "sigstore-synthetic.json") }
                add(.release, [Array(file.utf8)])
                add(.bundle, [Array(bundle.utf8)])
                if let body = (try? MeroJSON.decode(JSONValue.self, from: Data(bundle.utf8)))?["rekorBundle"]?[
                    "Payload"]?[
                        "body"],
                    let text = body.stringValue, let bytes = StrictBase64.decode(text)
                {
                    add(.logEntry, [bytes])
                }
                if let parsed = try? SigstoreTrustRoot(json: root),
                    let result = try? verifySignedNodeRelease(
                        publishedMrtds: Data(file.utf8), bundle: Data(bundle.utf8), trustRoot: parsed)
                {
                    releases.append(
                        Release(file: Array(file.utf8), bundle: Array(bundle.utf8), root: parsed, result: result))
                }
            }
        }
    }

    /// What is spoilt and read.
    enum InputKind: String, CaseIterable {
        case certificate, revocationList, quote, pem, platform, signature, tcbInfo, qeIdentity, collateral, bundle,
            logEntry
        case release
    }
#endif
