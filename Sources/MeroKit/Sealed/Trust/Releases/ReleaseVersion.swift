/// A version of the node image, ordered as semantic versions are.
///
/// Spec: 80, section 7.5.
struct ReleaseVersion: Sendable {
    let text: String
    /// Digits without leading zeros: no number is too long.
    private let core: [[UInt8]]
    private let preRelease: [[UInt8]]

    /// Nil for what is no version.
    init?(_ text: String) {
        guard text.utf8.count <= 256 else { return nil }
        var rest = Array(text.utf8)[...]
        if let plus = rest.firstIndex(of: UInt8(ascii: "+")) {
            let build = rest[(plus + 1)...]
            guard !build.isEmpty, build.allSatisfy(Self.isIdentifier) else { return nil }
            rest = rest[..<plus]
        }
        var preRelease: [[UInt8]] = []
        if let hyphen = rest.firstIndex(of: UInt8(ascii: "-")) {
            let part = rest[(hyphen + 1)...]
            guard part.allSatisfy(Self.isIdentifier) else { return nil }
            preRelease = Self.split(part)
            guard preRelease.allSatisfy({ !$0.isEmpty }) else { return nil }
            rest = rest[..<hyphen]
        }
        let core = Self.split(rest)
        guard core.count == 3, core.allSatisfy(Self.isNumber) else { return nil }
        self.text = text
        self.core = core.map(Self.significant)
        self.preRelease = preRelease
    }

    private static func split(_ bytes: ArraySlice<UInt8>) -> [[UInt8]] {
        bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map { Array($0) }
    }

    private static func isIdentifier(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "."), UInt8(ascii: "-"):
            return true
        default: return false
        }
    }

    static func isNumber(_ part: [UInt8]) -> Bool { !part.isEmpty && part.allSatisfy { 0x30...0x39 ~= $0 } }

    private static func significant(_ digits: [UInt8]) -> [UInt8] { Array(digits.drop { $0 == 0x30 }) }
}

extension ReleaseVersion: Comparable {
    /// Builds of one version are equal.
    static func == (left: ReleaseVersion, right: ReleaseVersion) -> Bool { !(left < right) && !(right < left) }

    static func < (left: ReleaseVersion, right: ReleaseVersion) -> Bool {
        for (first, second) in zip(left.core, right.core) where first != second { return isLess(first, second) }
        // What has a part behind its hyphen comes before the version itself.
        guard !left.preRelease.isEmpty, !right.preRelease.isEmpty else {
            return !left.preRelease.isEmpty && right.preRelease.isEmpty
        }
        for (first, second) in zip(left.preRelease, right.preRelease) {
            switch (isNumber(first), isNumber(second)) {
            case (true, true):
                let (first, second) = (significant(first), significant(second))
                if first != second { return isLess(first, second) }
            case (true, false): return true
            case (false, true): return false
            case (false, false): if first != second { return first.lexicographicallyPrecedes(second) }
            }
        }
        return left.preRelease.count < right.preRelease.count
    }

    private static func isLess(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count ? left.lexicographicallyPrecedes(right) : left.count < right.count
    }
}

/// The version of the release that an image is of, e.g. `2.3.87`.
///
/// Throws `AttestationError`, `.unsupported`, for images of other names. The name is the node's claim; it only chooses whose
/// measurements to compare with. Spec: 80, section 7.6.
///
/// - Parameter osImage: As `AdminApi.getTeeInfo()` has it.
public func nodeReleaseVersion(fromImage osImage: String) throws(AttestationError) -> String {
    let parts = osImage.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false).map { Array($0) }
    let isPlain = osImage.utf8.allSatisfy { 0x21...0x7E ~= $0 }
    guard isPlain, osImage.utf8.count <= 256, parts.count >= 5, parts[0] == Array("merotee".utf8),
        parts[1...(parts.count - 4)].contains(where: { !$0.isEmpty }) || parts.count > 5,
        parts.suffix(3).allSatisfy(ReleaseVersion.isNumber)
    else { throw AttestationError(.unsupported, "The node's image is not the image of a mero-tee node release") }
    return parts.suffix(3).map { String(decoding: $0, as: UTF8.self) }.joined(separator: ".")
}
