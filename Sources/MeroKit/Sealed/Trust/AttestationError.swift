import Foundation

/// Why an attestation, its collateral or a signed release is not trusted.
///
/// It is a refusal, never a network failure: what did not answer is a `MeroError`. Nothing repeats a call because of it.
/// Spec: 80, sections 4.4 and 9.
public struct AttestationError: Error, Sendable, Equatable {
    /// What kind of trouble it is.
    public enum Kind: String, Sendable {
        /// Something cannot be read as what it should be: a quote, a certificate, a bundle.
        case malformed
        /// A signature, a hash or a chain of certificates does not hold.
        case unverified
        /// A certificate or a piece of collateral is not valid at this time. The node heals this within an hour by fetching
        /// collateral anew; else the clock of this device is wrong.
        case notCurrent
        /// All holds, and it is not what is trusted here: the image, the status of the platform, the signer, the version.
        case refused
        /// Something that the check needs is not there, or is of a kind that is not taken.
        case unsupported
        /// The caller's own arguments cannot be used; nothing was sent.
        case invalidInput
    }

    /// What kind of trouble it is.
    public let kind: Kind
    /// One line for a person.
    public let reason: String

    /// Makes a value of its parts.
    public init(_ kind: Kind, _ reason: String) {
        self.kind = kind
        self.reason = reason
    }

    /// The same trouble, told of the thing it was found in.
    func found(in what: String) -> AttestationError { AttestationError(kind, "\(what): \(reason)") }
}

extension AttestationError: LocalizedError {
    /// The reason.
    public var errorDescription: String? { reason }
}

/// Runs the work, and names the thing that was worked on when it fails.
func naming<Result>(
    _ what: @autoclosure () -> String, _ work: () throws(AttestationError) -> Result
) throws(AttestationError) -> Result {
    do {
        return try work()
    } catch {
        throw error.found(in: what())
    }
}
