import Foundation

/// The URLs that pages of other hosts return to, and what they put into the fragment.
///
/// Spec: 70, section 6.
enum CallbackURL {
    /// Schemes that would run something, or show something local, in place of returning to an app.
    private static let refusedSchemes: Set<String> = [
        "javascript", "data", "blob", "file", "about", "vbscript", "filesystem", "intent",
    ]

    /// Throws `AccountError.invalidInput` for what no page could return to.
    static func check(_ callback: String) throws {
        guard !callback.utf8.contains(UInt8(ascii: "#")) else {
            throw AccountError.invalidInput("callbackURL must not have a fragment: the page puts its answer there")
        }
        let parts = callback.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let isScheme =
            parts[0].first.map { $0.isASCII && $0.isLetter } == true
            && parts[0].allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
        guard parts.count == 2, isScheme, !parts[1].isEmpty, URL(string: callback) != nil else {
            throw AccountError.invalidInput("callbackURL must be absolute")
        }
        guard !refusedSchemes.contains(parts[0].lowercased()) else {
            throw AccountError.invalidInput("callbackURL has a scheme that cannot be returned to")
        }
    }

    /// What stands behind the first `#`; nil without one.
    static func fragment(of url: URL) -> String? {
        let text = url.absoluteString
        return text.firstIndex(of: "#").map { String(text[text.index(after: $0)...]) }
    }

    /// The fields of a fragment that say something, with or without its leading `#`. The first of a name counts.
    static func fields(in fragment: String) -> [String: String] {
        let text = fragment.hasPrefix("#") ? fragment.dropFirst() : Substring(fragment)
        let fields = Dictionary(FormEncoding.pairs(in: text.utf8).map { ($0.name, $0.value) }) { first, _ in first }
        return fields.filter { !$0.value.isEmpty }
    }

    /// Whether a code means that the person said no.
    static func isDecline(_ code: String) -> Bool { code == "denied" || code == "cancelled" }
}
