/// What a profile may be called. The name becomes a folder's name, so it can neither leave its place nor hide.
enum ProfileName {
    static let standard = "default"

    static func complaint(about name: String) -> String? {
        let letters = name.unicodeScalars
        guard let first = letters.first else { return "it is empty" }
        guard letters.count <= 64 else { return "it is longer than 64 characters" }
        guard letters.allSatisfy(isAllowed) else { return "only letters A-Z, digits, - _ and . may stand in it" }
        guard first != ".", first != "-" else { return "it starts with \(first)" }
        return nil
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".": return true
        default: return false
        }
    }
}
