/// What this program is.
enum Version {
    static let text = "0.1.0"
    /// The node release whose interface it speaks.
    static let node = "0.11.0-rc.83"

    static func print(on console: Console) throws {
        try console.line("mero \(text) (for Calimero core \(node))")
        try console.document(["name": "mero", "version": .string(text), "node": .string(node)])
    }
}
