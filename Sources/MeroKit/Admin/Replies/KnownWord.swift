extension KeyedDecodingContainer {
    /// A word that newer nodes may have more of: nil for one that this package does not know. Spec: 20, section 1.5.
    func decodeKnown<Word: RawRepresentable>(_ type: Word.Type, forKey key: Key) throws -> Word?
    where Word.RawValue == String {
        try decodeIfPresent(String.self, forKey: key).flatMap(Word.init(rawValue:))
    }
}
