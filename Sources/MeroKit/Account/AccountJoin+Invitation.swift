import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension AccountJoin {
    /// Joins the namespace that an invitation is for, as the account of this device.
    ///
    /// ```swift
    /// let invitation = try SignedGroupOpenInvitation(pasted: text)
    /// let outcome = try await AccountJoin.join(
    ///     invitation: invitation, credential: session.credential, keys: keys, nonces: nonces)
    /// ```
    ///
    /// The join's number is drawn from the sequence `join:<account>`. Throws what
    /// `bootstrapFromInvitation(namespaceId:invitation:account:credential:keys:nonce:nodeURL:cloud:session:options:)` throws, and
    /// `AccountError.invalidInput` for an invitation that names no namespace or a store that has no number. Spec: 60, section 6.
    ///
    /// - Parameters:
    ///   - invitation: What the member handed out.
    ///   - nodeURL: The origin of the node to ask; nil finds one by the cloud and the invitation.
    ///   - credential: The account and the certificate of this device.
    ///   - keys: The device's keys.
    ///   - nonces: The device's own, kept across restarts.
    ///   - cloud: Who is asked when `nodeURL` is nil; nil takes a client with the default address.
    ///   - session: Nil takes the platform's default HTTP stack.
    ///   - options: How nodes are spoken to, see `joinWithNode`. The cloud is not sealed to.
    public static func join(
        invitation: SignedGroupOpenInvitation, at nodeURL: String? = nil, credential: DelegatedCredential,
        keys: DeviceKeys, nonces: any WarrantNonceStore, cloud: CloudClient? = nil, session: URLSession? = nil,
        options: HttpOptions = HttpOptions()
    ) async throws -> JoinOutcome {
        try await join(
            invitation: invitation, at: nodeURL, credential: credential, signer: keys, nonces: nonces, cloud: cloud,
            session: session, options: options)
    }

    /// The same with a signer.
    public static func join(
        invitation: SignedGroupOpenInvitation, at nodeURL: String? = nil, credential: DelegatedCredential,
        signer: any DeviceSigner, nonces: any WarrantNonceStore, cloud: CloudClient? = nil,
        session: URLSession? = nil, options: HttpOptions = HttpOptions()
    ) async throws -> JoinOutcome {
        let namespaceId = try invitation.namespaceId()
        // An address that cannot be used must not cost a number.
        if let nodeURL { _ = try RelayOrigin.checked(RelayOrigin.trimmed(nodeURL)) }
        let account = credential.account.lowercased()
        return try await bootstrapFromInvitation(
            namespaceId: namespaceId, invitation: invitation, account: account, credential: credential.credential,
            signer: signer, nonce: try await NonceDesk.next(nonces, "join:\(account)"), nodeURL: nodeURL,
            cloud: cloud ?? CloudClient(options: options), session: session, options: options)
    }
}

extension SignedGroupOpenInvitation {
    /// Reads what a person has: a link, a token, or JSON, also as a node hands it out beside its namespace's name.
    ///
    /// Throws `MeroError.decoding` for anything else. Spec: 70, section 10.
    public init(pasted text: String) throws {
        guard let token = InviteLink.token(fromPasted: text), let json = InviteCodec.decode(token: token) else {
            throw MeroError.decoding("not an invitation: neither a link, nor a token, nor JSON")
        }
        let bytes = Data(json.utf8)
        if let invitation = try? MeroJSON.decode(SignedGroupOpenInvitation.self, from: bytes) {
            self = invitation
        } else if let wrapped = try? MeroJSON.decode(Wrapped.self, from: bytes) {
            self = wrapped.invitation
        } else {
            throw MeroError.decoding("not an invitation: the JSON holds none")
        }
    }

    private struct Wrapped: Decodable {
        let invitation: SignedGroupOpenInvitation
    }

    /// The namespace or group that the invitation is for, 64 hex characters. Throws `AccountError.invalidInput` when it names
    /// none.
    public func namespaceId() throws -> String {
        let bytes = invitation.groupId.compactMap(UInt8.init(exactly:))
        guard bytes.count == 32, invitation.groupId.count == 32 else {
            throw AccountError.invalidInput("the invitation names no namespace")
        }
        return Hex.encode(bytes)
    }
}
