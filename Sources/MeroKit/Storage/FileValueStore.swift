import Foundation

/// Keeps a value in a file that only its owner may read, as JSON.
///
/// The file has mode 0600 and is replaced as a whole, so that it is never seen half written. A missing folder is made with
/// mode 0700. A file that others may read is closed to them; one that others may write to, or that does not hold such a
/// value, reads as none and is left alone. Spec: 50, section 23.1.
public final class FileValueStore<Value: Codable & Sendable>: SecureValueStore {
    /// Where the value is kept.
    public let url: URL
    private let file: PrivateFile

    /// Reads and writes nothing yet.
    public init(url: URL) {
        self.url = url
        file = PrivateFile(path: url.path)
    }

    /// The stored value, nil when there is none that can be read and trusted.
    public func load() -> Value? { file.read().flatMap { try? MeroJSON.decode(Value.self, from: $0) } }

    /// The stored value; nil only when there is no file.
    ///
    /// Throws `SecureValueStoreError.unreadable` for a file that cannot be read, that others may write to, or that does not
    /// hold such a value.
    public func read() throws -> Value? {
        do {
            return try file.content().map { try MeroJSON.decode(Value.self, from: $0) }
        } catch let error as POSIXError {
            throw SecureValueStoreError.unreadable("\(url.path): \(String(cString: strerror(error.code.rawValue)))")
        } catch {
            // What is in the file could be half a secret: not a word of it.
            throw SecureValueStoreError.unreadable("\(url.path) does not hold what belongs there")
        }
    }

    /// Makes the file, durably; false when there is one, which is left alone. Throws `SecureValueStoreError.unwritable`.
    public func create(_ value: Value) throws -> Bool {
        do {
            return try file.create(with: MeroJSON.encode(value))
        } catch let error as POSIXError {
            throw SecureValueStoreError.unwritable("\(url.path): \(String(cString: strerror(error.code.rawValue)))")
        } catch {
            throw SecureValueStoreError.unwritable("\(url.path): \(error.localizedDescription)")
        }
    }

    /// Replaces the stored value. A failure is silent; `store(_:)` tells.
    public func save(_ value: Value) { try? store(value) }

    /// Removes the file.
    public func clear() { file.remove() }

    /// Replaces the stored value, durably. Throws Foundation's errors of files: no permission, no space left, …
    public func store(_ value: Value) throws { try file.replace(with: MeroJSON.encode(value)) }
}

extension FileValueStore: PlacedValueStore {
    var place: String { "file:" + url.standardizedFileURL.path }
}
