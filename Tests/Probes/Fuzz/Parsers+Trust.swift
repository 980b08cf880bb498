#if DEBUG || MEROKIT_FUZZING
    import Foundation
    @testable import MeroKit

    extension Parser {
        /// What attestation and signed releases are made of, part by part and whole.
        ///
        /// Of the whole ones, an accepted input must say what the sound one says that it was made of: whatever is spoilt and
        /// still verifies must not matter.
        static func trust(_ seeds: Seeds) throws -> [Parser] {
            let everything = InputKind.allCases.flatMap { seeds.parts[$0] ?? [] }
            let parts = InputKind.allCases.map { kind in
                let inputs = seeds.parts[kind] ?? []
                return Parser("trust-\(kind.rawValue)") { mutator in
                    let input = mutator.spoil(mutator.pick(inputs), with: mutator.pick(everything))
                    // A collateral's JSON is its caller's to parse.
                    return try await reading({ $0 is AttestationError || $0 is JSONSyntaxError }) {
                        try read(kind, input)
                    }
                }
            }
            return parts + [
                Parser("trust-whole-attestation") { mutator in
                    try attestation(
                        &mutator, mutator.pick(seeds.attestations), with: mutator.pick(seeds.attestations))
                },
                Parser("trust-whole-release") { mutator in
                    try release(&mutator, mutator.pick(seeds.releases), with: mutator.pick(seeds.releases))
                },
            ]
        }

        private static func read(_ kind: InputKind, _ input: [UInt8]) throws {
            switch kind {
            case .certificate: _ = try X509Certificate(der: input)
            case .revocationList: _ = try RevocationList(der: input)
            case .quote:
                _ = try? RelayNodeKey.reportData(of: Data(input))
                _ = try TdxQuote(input)
            case .pem: _ = try PemBlocks.decode(input)
            case .platform: _ = try PckPlatform(description: input)
            case .signature:
                try DerReader.checkShape(input)
                _ = try EcdsaSignature.raw(der: input, curve: .p256)
            case .tcbInfo: _ = try TcbInfo(String(decoding: input, as: UTF8.self))
            case .qeIdentity: _ = try QeIdentity(String(decoding: input, as: UTF8.self))
            case .collateral: _ = try DcapCollateral(JSONValue(jsonBytes: input))
            case .bundle: _ = try CosignBundle(text: Data(input))
            case .logEntry: _ = try RekorEntry(body: Data(input).base64EncodedString())
            case .release:
                let release = try PublishedMrtds(file: Data(input))
                _ = try? trustedMeasurements(fromReleases: [release], profile: "locked-read-only")
            }
        }

        /// A quote or one piece of its collateral is spoilt, and all of it verified.
        private static func attestation(
            _ mutator: inout Mutator, _ sound: Seeds.Attestation, with other: Seeds.Attestation
        ) throws -> Parser.Outcome {
            var quote = sound.quote
            var collateral = sound.collateral
            let field = mutator.pick(collateral.keys.sorted())
            if mutator.once(in: 2) {
                quote = mutator.spoil(quote, with: other.quote)
            } else if let text = collateral[field]?.stringValue {
                let isHex = field.hasSuffix("crl") || field.hasSuffix("signature")
                let bytes = isHex ? Hex.decode(text) ?? [] : Array(text.utf8)
                let with = Array((other.collateral[field]?.stringValue ?? "").utf8)
                let spoilt = mutator.spoil(bytes, with: with)
                collateral[field] = .string(isHex ? Hex.encode(spoilt) : String(decoding: spoilt, as: UTF8.self))
            }
            guard
                let result = try? DcapVerifier.verify(
                    quote: Data(quote), collateral: .object(collateral), now: sound.now, rootCA: sound.root)
            else { return .refused }
            try Finding.require(result == sound.result, "another result")
            return .accepted
        }

        /// A file or its bundle is spoilt, and all of it verified.
        private static func release(
            _ mutator: inout Mutator, _ sound: Seeds.Release, with other: Seeds.Release
        ) throws -> Parser.Outcome {
            var (file, bundle) = (sound.file, sound.bundle)
            if mutator.once(in: 4) {
                file = mutator.spoil(file, with: other.file)
            } else {
                bundle = mutator.spoil(bundle, with: other.bundle)
            }
            guard
                let result = try? verifySignedNodeRelease(
                    publishedMrtds: Data(file), bundle: Data(bundle), trustRoot: sound.root)
            else { return .refused }
            try Finding.require(result == sound.result && file == sound.file, "another result")
            return .accepted
        }
    }
#endif
