import MeroKit

/// How trusted environments come into a namespace: by what its policy says, and by nobody's hand.
///
/// Spec: 20, section 6.10; 30, section 8.1.
extension TeeAdmissionPolicy {
    /// The registers of a mock quote.
    private static let zeros = String(repeating: "0", count: 96)

    /// Whether a dev node is what the policy lets in. What it shows is a mock, so nothing is without
    /// ``TeeAdmissionPolicy/acceptsMock``, and a mock has no TCB status to hold against the list.
    func admits(_ tee: DevTee) -> Bool {
        guard acceptsMock else { return false }
        if let release { return Self.isRelease(tee.osImage, of: release) }
        let measured = [tee.mrtd] + Array(repeating: Self.zeros, count: measurements.count - 1)
        return zip(measurements, measured).enumerated().allSatisfy { index, pair in
            let (allowed, value) = pair
            // The second list, the first run-time register, may be left out.
            if index == 1, allowed.isEmpty { return true }
            return allowed.contains { $0.lowercased() == value.lowercased() }
        }
    }

    /// Images are called `merotee-<system>-<profile>-<major>-<minor>-<patch>`.
    private static func isRelease(_ image: String, of wanted: Release) -> Bool {
        let words = image.split(separator: "-", omittingEmptySubsequences: false)
        let numbers = words.suffix(3).compactMap { UInt32($0) }
        guard words.first == "merotee", words.count > 4, numbers.count == 3 else { return false }
        let name = words.dropLast(3).joined(separator: "-")
        guard wanted.profiles.contains(where: { name.hasSuffix("-\($0)") }) else { return false }
        guard let least = wanted.minVersion else { return true }
        let floor = least.split(separator: ".").compactMap { UInt32($0) }
        return !numbers.lexicographicallyPrecedes(floor)
    }
}

extension GroupAdmission {
    /// Shows the node to the nodes of a namespace. Whether one of them let it in shows in the group; being let in by
    /// nobody is no error. Throws `NodeRefusal` for a node that speaks for no account.
    func announce(_ tee: DevTee, to group: String) throws {
        guard let certificate = identity.certificate else { throw GroupAdmin.noIdentity }
        for peer in groups.link.network?.peers(of: groups.link.id) ?? [] {
            try peer.admission.admit(tee, certificate, to: group)
        }
    }

    /// What the node of an administrator does when a trusted environment shows itself.
    private func admit(_ tee: DevTee, _ certificate: DeviceCertificate, to group: String) throws {
        let (account, device) = (Hex.encode(certificate.account), Hex.encode(certificate.device))
        let admitted = try groups.change { state -> (root: String, role: DevRole)? in
            guard let root = state.namespace(of: group), let policy = state[root]?.teeAdmission, policy.admits(tee),
                let own = identity.usableAccount, state.isAdmin(own, in: root),
                !state.isRevoked(device: device, in: root), state[root]?.barred.contains(account) == false,
                state[root]?.members[account] == nil
            else { return nil }
            state.learn(device: device, DeviceRecord(certificate))
            _ = state.setMember(account, role: policy.role, in: root)
            return (root, policy.role)
        }
        guard let admitted else { return }
        hub.announce([(.memberJoined(account: account, role: admitted.role), admitted.root)], namespace: admitted.root)
    }
}
