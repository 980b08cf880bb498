import Foundation

/// The machine, and what on it has a share in every figure.
enum System {
    /// For people: one fact a line.
    static var facts: [String] {
        get throws {
            let process = ProcessInfo.processInfo
            var machine = "\(name), \(process.activeProcessorCount) cores"
            if let processor { machine += ", \(processor)" }
            machine += String(format: ", %.0f GiB of memory", Double(process.physicalMemory) / 1_073_741_824)
            let kernel = (try? String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8)) ?? ""
            if !kernel.isEmpty { machine += ", Linux \(kernel.trimmingCharacters(in: .whitespacesAndNewlines))" }
            return [machine, try versions().joined(separator: ", ")]
        }
    }

    /// The compiler and the libraries that MeroKit stands on.
    static func versions() throws -> [String] {
        var versions: [String] = []
        if let swift = ChildProcess.find("swift") {
            let words = try ChildProcess.text(swift, ["--version"]).split(whereSeparator: \.isWhitespace)
            if let at = words.firstIndex(of: "version"), at + 1 < words.endIndex {
                versions.append("Swift/\(words[at + 1])")
            }
        }
        let libraries = try ChildProcess.text(Layout.bareCurl, ["version"]).split(whereSeparator: \.isWhitespace)
        return versions
            + libraries.map(String.init).filter { name in
                ["libcurl/", "OpenSSL/", "glibc/"].contains(where: name.hasPrefix)
            }
    }

    /// The kind of processor. libcrypto and libc choose their ways by it, under valgrind as well.
    static var kind: String {
        #if arch(x86_64)
            return cpuInfo.contains(" avx2 ") ? "x86_64 with AVX2" : "x86_64 without AVX2"
        #elseif arch(arm64)
            return "arm64"
        #else
            return "another processor"
        #endif
    }

    /// As `/etc/os-release` names it, where there is one.
    private static var name: String {
        let release = (try? String(contentsOfFile: "/etc/os-release", encoding: .utf8)) ?? ""
        let line = release.split(separator: "\n").first { $0.hasPrefix("PRETTY_NAME=") }
        return line?.dropFirst("PRETTY_NAME=".count).trimmingCharacters(in: ["\""])
            ?? ProcessInfo.processInfo.operatingSystemVersionString
    }

    private static var processor: String? {
        let line = cpuInfo.split(separator: "\n").first { $0.hasPrefix("model name") }
        return line?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces)
    }

    private static var cpuInfo: String { (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? "" }
}
