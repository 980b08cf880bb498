import Foundation

/// The permission bits of a file or folder.
enum FilePermissions {
    /// Nil when there is no such file.
    static func of(_ file: URL) -> UInt32? {
        var status = stat()
        guard stat(file.path, &status) == 0 else { return nil }
        return UInt32(status.st_mode) & 0o777
    }

    /// True when others than the owner have any access.
    static func areOpen(_ file: URL) -> Bool { (of(file) ?? 0) & 0o077 != 0 }
}
