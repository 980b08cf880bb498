import Foundation

/// The five registers that name the image of a TDX environment, 96 hex characters each.
///
/// Spec: 80, section 6.1.
public struct TdMeasurements: Sendable, Equatable, Codable {
    /// The platform's firmware. Many images share it.
    public var mrtd: String
    /// The first run-time register.
    public var rtmr0: String
    /// The second run-time register.
    public var rtmr1: String
    /// The third run-time register.
    public var rtmr2: String
    /// The fourth run-time register.
    public var rtmr3: String

    /// Makes a value of its parts.
    public init(mrtd: String, rtmr0: String, rtmr1: String, rtmr2: String, rtmr3: String) {
        self.mrtd = mrtd
        self.rtmr0 = rtmr0
        self.rtmr1 = rtmr1
        self.rtmr2 = rtmr2
        self.rtmr3 = rtmr3
    }

    /// With the name of each register.
    var registers: [(name: String, value: String)] {
        [("mrtd", mrtd), ("rtmr0", rtmr0), ("rtmr1", rtmr1), ("rtmr2", rtmr2), ("rtmr3", rtmr3)]
    }

    /// The same in lower case. Throws when a register is not 96 hex characters.
    func checked(_ path: String) throws(AttestationError) -> TdMeasurements {
        TdMeasurements(
            mrtd: try Self.register(mrtd, "\(path).mrtd"), rtmr0: try Self.register(rtmr0, "\(path).rtmr0"),
            rtmr1: try Self.register(rtmr1, "\(path).rtmr1"), rtmr2: try Self.register(rtmr2, "\(path).rtmr2"),
            rtmr3: try Self.register(rtmr3, "\(path).rtmr3"))
    }

    /// A register in lower case.
    static func register(_ text: String, _ path: String) throws(AttestationError) -> String {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
        guard isRegister(text) else { throw AttestationError(.invalidInput, "\(path) is not 96 hex characters") }
        return text
    }

    static func isRegister(_ text: String) -> Bool { text.utf8.count == 96 && Hex.decode(text) != nil }
}
