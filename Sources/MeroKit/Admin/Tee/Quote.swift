/// A TDX quote taken apart. All its fields are hex.
///
/// Spec: 20, section 4.6.
public struct Quote: Codable, Sendable {
    /// What kind of quote it is.
    public let header: QuoteHeader
    /// What it says.
    public let body: QuoteBody
    /// Over header and body.
    public let signature: String
    /// The key that signed.
    public let attestationKey: String
    /// Where that key comes from.
    public let certificationData: JSONValue?

    /// Makes a value of its parts.
    public init(
        header: QuoteHeader, body: QuoteBody, signature: String, attestationKey: String,
        certificationData: JSONValue? = nil
    ) {
        self.header = header
        self.body = body
        self.signature = signature
        self.attestationKey = attestationKey
        self.certificationData = certificationData
    }
}

/// The head of a TDX quote.
///
/// Spec: 20, section 4.6.
public struct QuoteHeader: Codable, Sendable {
    /// Of the format.
    public let version: Int
    /// The kind of key that signed.
    public let attestationKeyType: Int
    /// The kind of environment.
    public let teeType: Int
    /// Who made the quoting enclave.
    public let qeVendorId: String
    /// 20 bytes of the platform's.
    public let userData: String

    /// Makes a value of its parts.
    public init(version: Int, attestationKeyType: Int, teeType: Int, qeVendorId: String, userData: String) {
        self.version = version
        self.attestationKeyType = attestationKeyType
        self.teeType = teeType
        self.qeVendorId = qeVendorId
        self.userData = userData
    }
}

/// The measurements in a TDX quote, each in hex.
///
/// Spec: 20, section 4.6.
public struct QuoteBody: Codable, Sendable {
    /// The version of the report.
    public let tdxVersion: String
    /// How recent the platform's firmware is.
    public let teeTcbSvn: String
    /// Measurement of the TDX module.
    public let mrseam: String
    /// Who signed the TDX module.
    public let mrsignerseam: String
    /// Attributes of the TDX module.
    public let seamattributes: String
    /// Attributes of the environment.
    public let tdattributes: String
    /// Processor features that it may use.
    public let xfam: String
    /// Measurement of the environment as it was started.
    public let mrtd: String
    /// Configuration by the owner of the environment.
    public let mrconfigid: String
    /// The owner.
    public let mrowner: String
    /// Configuration by the owner's software.
    public let mrownerconfig: String
    /// The first run-time register.
    public let rtmr0: String
    /// The second run-time register.
    public let rtmr1: String
    /// The third run-time register.
    public let rtmr2: String
    /// The fourth run-time register.
    public let rtmr3: String
    /// 64 bytes that the environment put in: the nonce and what it was bound to.
    public let reportdata: String
    /// How recent the running TDX module is; in newer reports only.
    public let teeTcbSvn2: String?
    /// Measurement of the service environment; in newer reports only.
    public let mrservicetd: String?

    /// Makes a value of its parts.
    public init(
        tdxVersion: String, teeTcbSvn: String, mrseam: String, mrsignerseam: String, seamattributes: String,
        tdattributes: String, xfam: String, mrtd: String, mrconfigid: String, mrowner: String, mrownerconfig: String,
        rtmr0: String, rtmr1: String, rtmr2: String, rtmr3: String, reportdata: String, teeTcbSvn2: String? = nil,
        mrservicetd: String? = nil
    ) {
        self.tdxVersion = tdxVersion
        self.teeTcbSvn = teeTcbSvn
        self.mrseam = mrseam
        self.mrsignerseam = mrsignerseam
        self.seamattributes = seamattributes
        self.tdattributes = tdattributes
        self.xfam = xfam
        self.mrtd = mrtd
        self.mrconfigid = mrconfigid
        self.mrowner = mrowner
        self.mrownerconfig = mrownerconfig
        self.rtmr0 = rtmr0
        self.rtmr1 = rtmr1
        self.rtmr2 = rtmr2
        self.rtmr3 = rtmr3
        self.reportdata = reportdata
        self.teeTcbSvn2 = teeTcbSvn2
        self.mrservicetd = mrservicetd
    }
}
