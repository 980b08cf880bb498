import Foundation

/// The registry of applications.
///
/// Spec: 70, section 12.
public enum ApplicationRegistry {
    /// The id of a bundle's application, 64 hex characters. Its version has no part in it.
    ///
    /// - Parameters:
    ///   - package: e.g. `com.example.notes`.
    ///   - signerId: as the registry has it, e.g. `did:key:…`.
    ///
    /// Spec: 50, section 20.
    public static func applicationIdForBundle(package: String, signerId: String) -> String {
        var writer = BorshWriter()
        writer.string(package)
        writer.string(signerId)
        return Hex.encode(sha256(writer.data))
    }
}
