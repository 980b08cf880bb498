import Foundation

/// The browser of whoever runs the command.
enum Browser {
    /// Opens a page, and tells whether a program was found for that. Other users can see the page's address among the
    /// processes: it must carry nothing that is theirs not to know.
    static func open(_ page: String, variables: [String: String]) -> Bool {
        guard let program = program(variables) else { return false }
        let process = Process()
        process.executableURL = program
        process.arguments = [page]
        process.environment = variables
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
            return true
        } catch {
            return false
        }
    }

    private static func program(_ variables: [String: String]) -> URL? {
        // The variable may list several.
        if let named = variables["BROWSER"]?.split(separator: ":").first.map(String.init) {
            return find(named, variables)
        }
        #if os(macOS)
            return find("open", variables)
        #else
            return find("xdg-open", variables)
        #endif
    }

    private static func find(_ name: String, _ variables: [String: String]) -> URL? {
        let places =
            name.contains("/")
            ? [name] : (variables["PATH"] ?? "/usr/bin:/bin").split(separator: ":").map { "\($0)/\(name)" }
        return places.first(where: FileManager.default.isExecutableFile).map { URL(fileURLWithPath: $0) }
    }
}
