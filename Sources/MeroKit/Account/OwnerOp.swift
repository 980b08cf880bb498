import Foundation

/// An act on a group or namespace that needs the signature of the owner account's root.
///
/// `AccountRoot.authorize(_:namespaceId:groupId:counter:)` makes the `rootProof` that a node asks for. A node that holds the
/// root signs by itself; then no proof is sent. Spec: 50, section 14.
public enum OwnerOp: Sendable, Equatable {
    /// Gives the group to another account.
    case transferOwnership(newOwner: String)
    /// Gives the namespace another admin.
    case adminChanged(newAdmin: String)
    /// Deletes the group.
    case groupDelete
    /// Says which replicas in trusted environments may join.
    case teeAdmissionPolicy(TeeAdmission)
    /// Says which programs in trusted environments may write.
    case teeAuthoringPolicy(allowedMrtd: [String])
    /// Says which signed releases may join.
    case teeReleaseAdmissionPolicy(TeeReleaseAdmission)

    /// What a node in a trusted environment may become.
    public enum TeeMode: UInt8, Sendable {
        /// It keeps a copy.
        case replica = 0
        /// It also acts for accounts.
        case relay = 1
    }

    /// Measurements that admit a node.
    public struct TeeAdmission: Sendable, Equatable {
        /// Of the environment itself.
        public var allowedMrtd: [String]
        /// Of its run-time registers, four lists.
        public var allowedRtmr0: [String]
        /// The second register.
        public var allowedRtmr1: [String]
        /// The third register.
        public var allowedRtmr2: [String]
        /// The fourth register.
        public var allowedRtmr3: [String]
        /// How up to date its platform has to be, e.g. `UpToDate`.
        public var allowedTcbStatuses: [String]
        /// Whether a mock environment will do.
        public var acceptMock: Bool
        /// What it becomes.
        public var mode: TeeMode

        /// Makes a value of its parts.
        public init(
            allowedMrtd: [String], allowedRtmr0: [String], allowedRtmr1: [String], allowedRtmr2: [String],
            allowedRtmr3: [String], allowedTcbStatuses: [String], acceptMock: Bool, mode: TeeMode
        ) {
            self.allowedMrtd = allowedMrtd
            self.allowedRtmr0 = allowedRtmr0
            self.allowedRtmr1 = allowedRtmr1
            self.allowedRtmr2 = allowedRtmr2
            self.allowedRtmr3 = allowedRtmr3
            self.allowedTcbStatuses = allowedTcbStatuses
            self.acceptMock = acceptMock
            self.mode = mode
        }
    }

    /// Signed releases that admit a node.
    public struct TeeReleaseAdmission: Sendable, Equatable {
        /// Names of profiles.
        public var allowedProfiles: [String]
        /// As the node normalises it: `X.Y.Z`.
        public var minReleaseVersion: String?
        /// How up to date its platform has to be, e.g. `UpToDate`.
        public var allowedTcbStatuses: [String]
        /// Whether a mock environment will do.
        public var acceptMock: Bool
        /// What it becomes.
        public var mode: TeeMode

        /// Makes a value of its parts.
        public init(
            allowedProfiles: [String], minReleaseVersion: String?, allowedTcbStatuses: [String], acceptMock: Bool,
            mode: TeeMode
        ) {
            self.allowedProfiles = allowedProfiles
            self.minReleaseVersion = minReleaseVersion
            self.allowedTcbStatuses = allowedTcbStatuses
            self.acceptMock = acceptMock
            self.mode = mode
        }
    }

    /// What an authorisation calls it.
    package var kind: UInt8 {
        switch self {
        case .transferOwnership: return 0
        case .adminChanged: return 1
        case .groupDelete: return 2
        case .teeAdmissionPolicy: return 3
        case .teeAuthoringPolicy: return 4
        case .teeReleaseAdmissionPolicy: return 5
        }
    }

    /// Borsh. Throws `AccountError.invalidInput`.
    package var bytes: Data {
        get throws {
            var writer = BorshWriter()
            switch self {
            case .transferOwnership(let newOwner):
                writer.u8(0x15)
                writer.raw(try Hex.id(newOwner, "newOwner"))
            case .adminChanged(let newAdmin):
                writer.u8(0x03)
                writer.raw(try Hex.id(newAdmin, "newAdmin"))
            case .groupDelete: writer.u8(0x0e)
            case .teeAdmissionPolicy(let policy):
                writer.u8(0x25)
                for list in [
                    policy.allowedMrtd, policy.allowedRtmr0, policy.allowedRtmr1, policy.allowedRtmr2,
                    policy.allowedRtmr3, policy.allowedTcbStatuses,
                ] {
                    writer.strings(list)
                }
                writer.bool(policy.acceptMock)
                writer.u8(policy.mode.rawValue)
            case .teeAuthoringPolicy(let allowedMrtd):
                writer.u8(0x21)
                writer.strings(allowedMrtd)
            case .teeReleaseAdmissionPolicy(let policy):
                writer.u8(0x26)
                writer.strings(policy.allowedProfiles)
                writer.optionString(policy.minReleaseVersion)
                writer.strings(policy.allowedTcbStatuses)
                writer.bool(policy.acceptMock)
                writer.u8(policy.mode.rawValue)
            }
            return writer.data
        }
    }
}
