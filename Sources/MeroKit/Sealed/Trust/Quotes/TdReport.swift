import Foundation

/// What a quote says about a TDX environment: its measurements, and the 64 bytes that it put in itself.
///
/// Spec: 80, section 3.3.
public struct TdReport: Sendable, Equatable {
    /// The two forms that a report has.
    public enum Version: String, Sendable {
        /// 584 bytes.
        case td10 = "1.0"
        /// 648 bytes.
        case td15 = "1.5"

        var size: Int { self == .td10 ? 584 : 648 }
    }

    /// The form of the report.
    public let version: Version
    let bytes: [UInt8]

    /// Nil when there are more or fewer bytes than the form has.
    init?(_ version: Version, bytes: some Collection<UInt8>) {
        guard bytes.count == version.size else { return nil }
        self.version = version
        self.bytes = Array(bytes)
    }

    /// How recent the platform's firmware is, 16 bytes.
    public var teeTcbSvn: Data { field(0, 16) }
    /// Measurement of the TDX module, 48 bytes.
    public var mrSeam: Data { field(16, 48) }
    /// Who signed the TDX module, 48 bytes.
    public var mrSignerSeam: Data { field(64, 48) }
    /// Attributes of the TDX module, 8 bytes.
    public var seamAttributes: Data { field(112, 8) }
    /// Attributes of the environment, 8 bytes.
    public var tdAttributes: Data { field(120, 8) }
    /// Processor features that it may use, 8 bytes.
    public var xfam: Data { field(128, 8) }
    /// Measurement of the environment as it was started, 48 bytes.
    public var mrtd: Data { field(136, 48) }
    /// Configuration by the owner of the environment, 48 bytes.
    public var mrConfigId: Data { field(184, 48) }
    /// The owner, 48 bytes.
    public var mrOwner: Data { field(232, 48) }
    /// Configuration by the owner's software, 48 bytes.
    public var mrOwnerConfig: Data { field(280, 48) }
    /// The first run-time register, 48 bytes.
    public var rtmr0: Data { field(328, 48) }
    /// The second run-time register, 48 bytes.
    public var rtmr1: Data { field(376, 48) }
    /// The third run-time register, 48 bytes.
    public var rtmr2: Data { field(424, 48) }
    /// The fourth run-time register, 48 bytes.
    public var rtmr3: Data { field(472, 48) }
    /// What the environment put in: a nonce, and what binds a key. 64 bytes.
    public var reportData: Data { field(520, 64) }
    /// How recent the running TDX module is, 16 bytes; nil in reports of version 1.0.
    public var teeTcbSvn2: Data? { version == .td15 ? field(584, 16) : nil }
    /// Measurement of the service environment, 48 bytes; nil in reports of version 1.0.
    public var mrServiceTd: Data? { version == .td15 ? field(600, 48) : nil }

    /// The five registers that name an image.
    public var measurements: TdMeasurements {
        TdMeasurements(
            mrtd: Hex.encode(mrtd), rtmr0: Hex.encode(rtmr0), rtmr1: Hex.encode(rtmr1), rtmr2: Hex.encode(rtmr2),
            rtmr3: Hex.encode(rtmr3))
    }

    private func field(_ offset: Int, _ count: Int) -> Data { Data(bytes[offset..<(offset + count)]) }
}
