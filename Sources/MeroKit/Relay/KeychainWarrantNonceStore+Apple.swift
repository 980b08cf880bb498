#if canImport(Security)
    import Foundation
    import Security

    /// Counts in the Keychain of this device, one generic password for each sequence.
    ///
    /// For one process, like `UserDefaultsWarrantNonceStore`, but it survives the removal of the app. Spec: 60,
    /// section 4.2.
    public final class KeychainWarrantNonceStore: WarrantNonceStore {
        private let service: String
        private let accessGroup: String?

        /// One for all stores of the process, since any two may lie over the same items.
        private static let gate = Gate()

        /// - Parameter service: Two devices need two services.
        public init(service: String = "network.calimero.merokit.nonces", accessGroup: String? = nil) {
            self.service = service
            self.accessGroup = accessGroup
        }

        /// The next number; 0 once all are spent, and when it could not be written.
        public func next(relay: String) -> UInt64 {
            Self.gate.pass {
                guard let next = WarrantNonceSequence.next(after: last(relay)), store(next, relay) else { return 0 }
                return next
            }
        }

        /// Sees to it that `next` returns at least `floor`.
        public func advance(relay: String, to floor: UInt64) {
            Self.gate.pass {
                if let raised = WarrantNonceSequence.raised(last(relay), to: floor) { _ = store(raised, relay) }
            }
        }

        /// Whether the last number there is has been handed out.
        public func isSpent(relay: String) -> Bool { Self.gate.pass { last(relay) == .max } }

        private func item(_ relay: String) -> KeychainItem {
            KeychainItem(
                service: service, account: WarrantNonceSequence.key(relay), accessGroup: accessGroup,
                accessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly)
        }

        private func last(_ relay: String) -> UInt64 {
            WarrantNonceSequence.last(from: item(relay).read().map { String(decoding: $0, as: UTF8.self) })
        }

        /// Read back, since the Keychain's failures are silent.
        private func store(_ last: UInt64, _ relay: String) -> Bool {
            item(relay).replace(with: Data(String(last).utf8))
            return self.last(relay) == last
        }
    }
#endif
