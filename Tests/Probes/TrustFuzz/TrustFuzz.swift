import Foundation
import MeroKit

/// Feeds spoilt certificates, lists, quotes, collateral and bundles to what reads and verifies them.
///
/// Arguments: the folder with the fixtures, how many inputs, a seed, and optionally how many of them in a thousand go through
/// a whole verification. Every input has a seed of its own, which is printed when it shows a fault: to run that one alone, give
/// it as the seed of one input. Ends with status 1 for a fault; a trap ends it by itself, right behind the last seed printed with
/// `--verbose`.
///
/// A fault is an accepted input that says something else than the sound one it was made of: whatever is spoilt and still
/// verifies must not matter.
@main
enum TrustFuzz {
    static func main() throws {
        let arguments = CommandLine.arguments.filter { $0 != "--verbose" }
        guard arguments.count >= 4, let count = Int(arguments[2]), let seed = UInt64(arguments[3]) else { exit(2) }
        let share = arguments.count > 4 ? Int(arguments[4]) ?? 10 : 10
        let isVerbose = CommandLine.arguments.contains("--verbose")
        let seeds = try Seeds(folder: URL(fileURLWithPath: arguments[1]))
        var run = Run(seeds: seeds)
        let start = Date()
        for number in 0..<count {
            let inputSeed = seed &+ UInt64(number)
            if isVerbose { FileHandle.standardError.write(Data("\(inputSeed)\n".utf8)) }
            guard run.input(seed: inputSeed, wholeShare: share) else {
                print("fault: \(run.fault) with seed \(inputSeed)")
                exit(1)
            }
        }
        let seconds = Date().timeIntervalSince(start)
        print("\(count) inputs from seed \(seed) in \(Int(seconds)) s, no fault")
        for kind in run.tallies.keys.sorted() {
            let tally = run.tallies[kind] ?? Run.Tally()
            print("  \(kind): \(tally.accepted) accepted, \(tally.refused) refused")
        }
    }
}

/// One run over many inputs.
struct Run {
    struct Tally {
        var accepted = 0
        var refused = 0
    }

    let seeds: Seeds
    private(set) var tallies: [String: Tally] = [:]
    private(set) var fault = ""

    init(seeds: Seeds) { self.seeds = seeds }

    /// False when it shows a fault.
    mutating func input(seed: UInt64, wholeShare: Int) -> Bool {
        var mutator = Mutator(seed: seed)
        switch mutator.below(1000) {
        case ..<wholeShare: return mutator.below(2) == 0 ? attestation(&mutator) : release(&mutator)
        default: return part(&mutator)
        }
    }

    private mutating func part(_ mutator: inout Mutator) -> Bool {
        let kind = InputKind.allCases[mutator.below(InputKind.allCases.count)]
        let inputs = seeds.parts[kind] ?? []
        let others = seeds.parts[InputKind.allCases[mutator.below(InputKind.allCases.count)]] ?? []
        let input = mutator.spoil(
            inputs[mutator.below(inputs.count)], with: others[mutator.below(others.count)])
        do {
            try Self.read(kind, input)
            tallies[kind.rawValue, default: Tally()].accepted += 1
        } catch is AttestationError {
            tallies[kind.rawValue, default: Tally()].refused += 1
        } catch is JSONSyntaxError {
            // Of a collateral, which its caller parses.
            tallies[kind.rawValue, default: Tally()].refused += 1
        } catch {
            fault = "\(kind.rawValue): an error of another type"
            return false
        }
        return true
    }

    private static func read(_ kind: InputKind, _ input: [UInt8]) throws {
        switch kind {
        case .certificate: _ = try X509Certificate(der: input)
        case .revocationList: _ = try RevocationList(der: input)
        case .quote: _ = try TdxQuote(input)
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
    private mutating func attestation(_ mutator: inout Mutator) -> Bool {
        let sound = seeds.attestations[mutator.below(seeds.attestations.count)]
        let other = seeds.attestations[mutator.below(seeds.attestations.count)]
        var quote = sound.quote
        var collateral = sound.collateral
        let fields = collateral.keys.sorted()
        let field = fields[mutator.below(fields.count)]
        if mutator.below(2) == 0 {
            quote = mutator.spoil(quote, with: other.quote)
        } else if let text = collateral[field]?.stringValue {
            let isHex = field.hasSuffix("crl") || field.hasSuffix("signature")
            let bytes = isHex ? Hex.decode(text) ?? [] : Array(text.utf8)
            let with = Array((other.collateral[field]?.stringValue ?? "").utf8)
            let spoilt = mutator.spoil(bytes, with: with)
            collateral[field] = .string(isHex ? Hex.encode(spoilt) : String(decoding: spoilt, as: UTF8.self))
        }
        do {
            let result = try DcapVerifier.verify(
                quote: Data(quote), collateral: .object(collateral), now: sound.now, rootCA: sound.root)
            tallies["whole attestation", default: Tally()].accepted += 1
            guard result == sound.result else {
                fault = "attestation: another result"
                return false
            }
        } catch {
            tallies["whole attestation", default: Tally()].refused += 1
        }
        return true
    }

    /// A file or its bundle is spoilt, and all of it verified.
    private mutating func release(_ mutator: inout Mutator) -> Bool {
        let sound = seeds.releases[mutator.below(seeds.releases.count)]
        let other = seeds.releases[mutator.below(seeds.releases.count)]
        var (file, bundle) = (sound.file, sound.bundle)
        if mutator.below(4) == 0 {
            file = mutator.spoil(file, with: other.file)
        } else {
            bundle = mutator.spoil(bundle, with: other.bundle)
        }
        do {
            let result = try verifySignedNodeRelease(
                publishedMrtds: Data(file), bundle: Data(bundle), trustRoot: sound.root)
            tallies["whole release", default: Tally()].accepted += 1
            guard result == sound.result, file == sound.file else {
                fault = "release: another result"
                return false
            }
        } catch {
            tallies["whole release", default: Tally()].refused += 1
        }
        return true
    }
}
