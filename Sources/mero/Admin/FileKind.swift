import Foundation

/// What stands at a path, as far as it matters to whoever reads or replaces it.
enum FileKind: String, Sendable {
    case regular = "a file"
    case folder = "a folder"
    case link = "a symbolic link"
    case other = "no regular file"

    /// Nil when nothing is there, or nothing that can be looked at.
    static func at(_ path: String, followingLinks: Bool) -> FileKind? {
        var status = stat()
        guard (followingLinks ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .regular
        case S_IFDIR: return .folder
        case S_IFLNK: return .link
        default: return .other
        }
    }
}
