import Foundation

/// What an app does to sign in, stay signed in and sign out.
extension AppSession {
    // MARK: - Restoring

    func readStores(_ operation: Int) async {
        if let session = await setup.cloud.restoreSession() {
            await perform(.granted(operation: operation, keep(CloudConnection(session: session))))
            return
        }
        let store = setup.tokenStore()
        if let node = setup.memory.load()?.node, let url = URL(string: node.url), store.getTokens() != nil {
            let number = newNumber()
            let mero = makeMero(url, store: store, session: number)
            clients[number] = .node(mero, node, isWaiting: false)
            await perform(
                .granted(
                    operation: operation,
                    AppMachine.Grant(
                        session: number, isAccount: false, nodeURL: node.url, username: node.username)))
            return
        }
        await perform(.nothingStored(operation: operation))
    }

    // MARK: - Signing in

    func signIn(_ operation: Int, _ way: AppMachine.SignIn) async {
        do {
            switch way {
            case .node(let url, let username, let password):
                await perform(.granted(operation: operation, try await logIn(url, username, password)))
            case .hosted(let callback):
                await perform(.granted(operation: operation, try await takeOver(callback)))
            case .cloud(let callback):
                let page = try await setup.cloud.beginEnrolment(callbackURL: callback.url)
                let returned = try await setup.webAuthenticator.authenticate(url: page, callback: callback)
                try Task.checkCancellation()
                await perform(.granted(operation: operation, try await enrol(returned)))
            case .enrolment(let returned):
                await perform(.granted(operation: operation, try await enrol(returned)))
            }
        } catch is CancellationError {
            await perform(.dismissed(operation: operation))
        } catch is WebAuthenticationCancelled {
            await perform(.dismissed(operation: operation))
        } catch {
            await perform(.failed(operation: operation, AppFailure(error)))
        }
    }

    /// Into a store of its own: the one in use is not touched before the login has succeeded.
    private func logIn(_ text: String, _ username: String, _ password: String) async throws -> AppMachine.Grant {
        guard let url = URL(string: text) else { throw AppFailure.invalidNodeURL }
        let login = makeMero(url, store: MemoryTokenStore(), session: nil)
        try await login.authenticate(Credentials(username: username, password: password))
        guard let tokens = await login.currentTokenData() else { throw AppFailure.authenticationFailed }
        return grant(tokens, AppMemory.Node(url: text, username: username), url)
    }

    /// Only for a login that this app began, and once: a page from before may carry tokens that were rotated since.
    private func takeOver(_ callback: String) async throws -> AppMachine.Grant {
        guard let result = SsoLogin.parseAuthCallback(callback), let asked = setup.memory.load()?.pendingNodeURL else {
            throw AppFailure.stateMismatch
        }
        let returned = RelayOrigin.trimmed(result.nodeUrl)
        let trusted = ([asked] + setup.allowedNodeURLs).map(RelayOrigin.trimmed)
        guard returned.isEmpty || trusted.contains(returned) else { throw AppFailure.untrustedNode(returned) }
        let node = returned.isEmpty ? asked : returned
        guard let url = URL(string: node) else { throw AppFailure.invalidNodeURL }
        remember { $0.pendingNodeURL = nil }
        if !result.contextId.isEmpty {
            func part(_ text: String) -> String? { text.isEmpty ? nil : text }
            await perform(
                .select(
                    AppSelection(
                        contextId: result.contextId, contextIdentity: part(result.contextIdentity),
                        applicationId: part(result.applicationId))))
        }
        let tokens = TokenData(
            accessToken: result.accessToken, refreshToken: result.refreshToken,
            expiresAt: Date(timeIntervalSince1970: 0))
        return grant(tokens, AppMemory.Node(url: node, username: ""), url)
    }

    /// A session whose tokens wait to be adopted.
    private func grant(_ tokens: TokenData, _ node: AppMemory.Node, _ url: URL) -> AppMachine.Grant {
        let number = newNumber()
        let store = MemoryTokenStore()
        store.setTokens(tokens)
        clients[number] = .node(makeMero(url, store: store, session: number), node, isWaiting: true)
        return AppMachine.Grant(session: number, isAccount: false, nodeURL: node.url, username: node.username)
    }

    private func enrol(_ callback: URL) async throws -> AppMachine.Grant {
        let cloud = setup.cloud
        let before = await cloud.restoreSession()
        let session = try await cloud.completeEnrolment(callbackURL: callback)
        let connection = await cloud.connect(session)
        // Given up meanwhile: what is stored must be who is shown. In a task that the cancellation does not reach.
        if Task.isCancelled {
            await Task { await cloud.revert(to: before, ifCurrent: session) }.value
            throw CancellationError()
        }
        return keep(connection)
    }

    // MARK: - Sessions

    func newNumber() -> Int {
        lastSession += 1
        return lastSession
    }

    /// - Parameter session: Whose end the node may tell; nil for a client that only logs in.
    private func makeMero(_ url: URL, store: any TokenStore, session: Int?) -> Mero {
        var config = MeroConfig(baseURL: url, tokenStore: store, httpOptions: setup.httpOptions)
        config.onAuthRevoked = { [weak self] _ in
            guard let session else { return }
            await self?.perform(.trouble(session: session, .revoked))
        }
        return setup.urlSession.map { Mero(config: config, session: $0) } ?? Mero(config: config)
    }

    /// Keeps a connection as a session, or as the next state of one.
    func keep(_ connection: CloudConnection, as number: Int? = nil) -> AppMachine.Grant {
        let number = number ?? newNumber()
        clients[number] = .account(connection)
        let session = connection.session
        let isAsleep = connection.relay == nil && !session.isRelayless
        return AppMachine.Grant(
            session: number, isAccount: true, nodeURL: session.relayUrl ?? "",
            username: "\(session.account.prefix(6))…\(session.account.suffix(4))", account: session.account,
            relayURL: session.relayUrl, note: isAsleep ? session.note : connection.readNote ?? session.note,
            hasReads: connection.mero != nil)
    }

    /// Writes a granted session to the stores, now that the one before has left them.
    func adopt(_ number: Int) async {
        guard case .node(let waiting, let node, let isWaiting)? = clients[number] else {
            return remember { $0.node = nil }
        }
        if isWaiting, let tokens = await waiting.currentTokenData(), let url = URL(string: node.url) {
            // Over before it was adopted.
            guard machine.session?.number == number else { return }
            let mero = makeMero(url, store: setup.tokenStore(), session: number)
            await mero.setTokenData(tokens)
            // Ended while the store was written.
            guard machine.session?.number == number else { return await mero.clearToken() }
            clients[number] = .node(mero, node, isWaiting: false)
        }
        remember { $0.node = node }
    }

    /// Locally at once; then the node is told, as far as it can be reached and whatever becomes of the caller.
    func end(_ number: Int) async {
        guard let clients = clients.removeValue(forKey: number) else { return }
        switch clients {
        case .account: await signOutOfCloud()
        case .node(let mero, let node, let isWaiting):
            let stored = isWaiting ? nil : setup.tokenStore().getTokens()
            if !isWaiting { remember { $0.node = nil } }
            let tokens = await mero.currentTokenData()
            await mero.clearToken()
            await mero.close()
            guard let token = (stored ?? tokens)?.refreshToken, !token.isEmpty, let url = URL(string: node.url) else {
                return
            }
            // By a client of its own, which cannot touch what the next session keeps in the store.
            let gone = makeMero(url, store: MemoryTokenStore(), session: nil)
            farewells.append(Task { _ = try? await gone.auth.logout(LogoutRequest(refreshToken: token)) })
        }
    }

    func drop(_ number: Int) async {
        guard let clients = clients.removeValue(forKey: number) else { return }
        await clients.mero?.close()
        guard case .node(let mero, _, _) = clients else { return }
        await mero.clearToken()
        remember { $0.node = nil }
    }

    func clearStores() async {
        remember { $0.node = nil }
        setup.tokenStore().clear()
        await signOutOfCloud()
    }

    /// In a task that the caller's cancellation does not reach.
    private func signOutOfCloud() async {
        let cloud = setup.cloud
        await Task { await cloud.signOut() }.value
    }

    // MARK: - Whether it lives

    /// A node is asked; an account is connected anew, which needs no tokens.
    func check(_ number: Int) async {
        switch clients[number] {
        case .node(let mero, _, _)?:
            await perform(.checked(session: number, await Self.verdict(mero)))
        case .account(let old)?:
            let session = await setup.cloud.restoreSession() ?? old.session
            let connection = await setup.cloud.connect(session)
            guard clients[number] != nil else { return }
            await perform(.updated(keep(connection, as: number)))
            await perform(.checked(session: number, connection.mero == nil ? .unknown : .alive))
        case nil: await perform(.checked(session: number, .unknown))
        }
    }

    /// By `/auth/validate` through the client's own pipeline: whatever has to be refreshed is, in the one flight of its
    /// tokens, and a rotation by another process is found in the store.
    private static func verdict(_ mero: Mero) async -> AppMachine.Verdict {
        let presented = await mero.currentTokenData()
        do {
            _ = try await mero.http.sendRaw(HttpRequest(path: "/auth/validate", method: .get))
            return .alive
        } catch MeroError.authRevoked, MeroError.noRefreshToken, MeroError.noCredentials {
            return await mero.isAuthenticated ? .alive : .dead
        } catch MeroError.http(let answer) where answer.status == 401 {
            // Another token came in meanwhile: this answer says nothing about it.
            return await mero.currentTokenData() == presented ? .dead : .unknown
        } catch {
            return .unknown
        }
    }

    // MARK: - What the person asks for

    func act(_ operation: Int, _ number: Int, _ act: AppMachine.Act) async {
        do {
            switch act {
            case .call(let contextId, let method):
                let value = try await call(number, contextId, method)
                await perform(.called(operation: operation, String(describing: value)))
            case .join(let invitation): try await join(operation, number, invitation)
            case .refreshRelay:
                if case .account? = clients[number] {
                    let session = try await setup.cloud.refreshRelay()
                    let connection = await setup.cloud.connect(session)
                    if clients[number] != nil { await perform(.updated(keep(connection, as: number))) }
                }
                await perform(.dismissed(operation: operation))
            }
        } catch is CancellationError {
            await perform(.dismissed(operation: operation))
        } catch {
            await perform(.failed(operation: operation, AppFailure(error)))
        }
    }

    private func call(_ number: Int, _ contextId: String, _ method: String) async throws -> JSONValue {
        switch clients[number] {
        case .node(let mero, _, _)?: return try await mero.rpc.execute(contextId: contextId, method: method)
        case .account(let connection)?:
            guard let relay = connection.relay else { throw AppFailure.noRelay }
            return try await relay.query(contextId: contextId, method: method) ?? .null
        case nil: throw AppFailure.sessionRevoked
        }
    }

    /// - Parameter shown: What the person agreed to.
    private func join(_ operation: Int, _ number: Int, _ shown: AppInvitation) async throws {
        guard let payload = setup.invitations.current(), AppInvitation(payload) == shown else {
            throw AppFailure.other("This invitation no longer waits for an answer: it has expired or was replaced.")
        }
        switch clients[number] {
        case .node(let mero, _, _)?:
            _ = try await mero.admin.joinNamespace(
                payload.namespaceId, request: JoinNamespaceRequest(invitation: payload.invitation))
        case .account?:
            let (session, outcome) = try await setup.cloud.join(
                namespaceId: payload.namespaceId, invitation: payload.invitation)
            guard outcome.published else {
                throw AppFailure.other("The node did not publish the join. Try again with the same invitation.")
            }
            let connection = await setup.cloud.connect(session)
            if clients[number] != nil { await perform(.updated(keep(connection, as: number))) }
        case nil: throw AppFailure.sessionRevoked
        }
        await perform(.joined(operation: operation, shown))
    }
}
