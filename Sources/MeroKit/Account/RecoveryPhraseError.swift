import Foundation

/// Why a text is no recovery phrase; the first of these that applies. The texts never repeat a word of the phrase.
///
/// Spec: 50, section 3.3.
public enum RecoveryPhraseError: Error, Sendable, Equatable {
    /// So many words instead of 24.
    case wordCount(Int)
    /// The word at this position, the first being 1, is not in the list.
    case unknownWord(position: Int)
    /// All words are in the list, but at least one is not the right one, or stands elsewhere.
    case checksum
}

extension RecoveryPhraseError: LocalizedError {
    /// One line for a person. The same text as `localizedDescription`.
    public var errorDescription: String? {
        switch self {
        case .wordCount(let count): return "A recovery phrase has 24 words, not \(count)"
        case .unknownWord(let position): return "Word \(position) of the recovery phrase is not one of the list"
        case .checksum: return "The words of the recovery phrase do not belong together, or not in this order"
        }
    }
}
