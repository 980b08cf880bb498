#if DEBUG || MEROKIT_FUZZING
    import Foundation
    @testable import MeroKit

    /// An engine without a network, whose answers are put into it.
    final class CannedEngine: HttpEngine {
        let answers = Locked<[EngineResponse]>([])

        /// The last answer is given for as long as somebody asks.
        func perform(_ request: EngineRequest) async throws -> EngineResponse {
            answers.withLock { answers in
                guard let first = answers.first else { return EngineResponse(status: 500, headers: [:], body: Data()) }
                if answers.count > 1 { answers.removeFirst() }
                return first
            }
        }
    }

    extension Parser {
        /// Every call of the client, answered by what is nearly an answer.
        static func answers(_ corpus: Corpus) throws -> [Parser] {
            let engine = CannedEngine()
            let base = RelayOrigin.url("https://n.example/p")
            let http = URLSessionHttpClient(
                baseURL: base, hooks: TransportHooks(getAuthToken: { "token" }), engine: engine, retryPolicy: .never)
            let admin = AdminApi(http: http)
            let calls = AdminCall.all
            let trees = try calls.map { try JSONSpoiler(text: ($0.answer.hasPrefix("{") ? $0.answer : "{}").utf8) }
            let auth = AuthApi(http: http)
            let authTrees = try authTexts.map { try JSONSpoiler(text: $0.utf8) }
            return [
                Parser("admin-answers") { mutator in
                    let index = mutator.below(calls.count)
                    let tree = mutator.once(in: 10) ? mutator.pick(trees) : trees[index]
                    engine.answers.withLock { $0 = [] }
                    engine.answer(tree.spoilt(&mutator), calls[index].answerHeaders, &mutator)
                    return try await reading({ $0 is MeroError }) {
                        try encodesAndDecodes(try await calls[index].outcome(admin, AdminIds()))
                    }
                },
                Parser("auth-answers") { mutator in
                    engine.answers.withLock { $0 = [] }
                    engine.answer(mutator.pick(authTrees).spoilt(&mutator), [:], &mutator)
                    let choice = mutator.below(13)
                    return try await reading({ $0 is MeroError }) { try await authCall(choice, auth) }
                },
            ] + (try relays(engine)) + (try clouds(engine, corpus))
        }

        /// What was decoded is the same after it was encoded and decoded again.
        private static func encodesAndDecodes(_ value: some Encodable) throws {
            func again<Value: Encodable>(_ value: Value) throws {
                let text = try MeroJSON.encode(value)
                guard let type = Value.self as? any (Encodable & Decodable).Type else { return }
                let decoded: any (Encodable & Decodable) = try MeroJSON.decode(type, from: text)
                let (first, second) = (try JSONValue(jsonBytes: text), try asJSON(decoded))
                try Finding.require(first == second, "\(type): \(first) became \(second)")
            }
            do {
                try again(value)
            } catch let error as Finding {
                throw error
            } catch is EncodingError {
                // What was nested as deep as a text may be is deeper than an encoder goes.
            } catch {
                throw Finding("\(type(of: value)) cannot be encoded and decoded again: \(error)")
            }
        }

        private static func authCall(_ choice: Int, _ auth: AuthApi) async throws {
            switch choice {
            case 0: try encodesAndDecodes(try await auth.getHealth())
            case 1: try encodesAndDecodes(try await auth.getIdentity())
            case 2: try encodesAndDecodes(try await auth.getProviders())
            case 3:
                let request = TokenRequest(
                    authMethod: "user_password", publicKey: "u", clientName: "c", permissions: nil, timestamp: 1,
                    providerData: [:])
                try encodesAndDecodes(try await auth.generateTokens(request))
            case 4:
                let request = RefreshTokenRequest(accessToken: "a", refreshToken: "r")
                try encodesAndDecodes(try await auth.refreshToken(request))
            case 5: _ = await auth.validateToken("t")
            case 6: try encodesAndDecodes(try await auth.logout(LogoutRequest(refreshToken: "r")))
            case 7: try encodesAndDecodes(try await auth.revokeTokens(RevokeTokenRequest(clientId: "c")))
            case 8: try encodesAndDecodes(try await auth.listRootKeys())
            case 9: try encodesAndDecodes(try await auth.deleteRootKey("k"))
            case 10: try encodesAndDecodes(try await auth.listClientKeys())
            case 11: try encodesAndDecodes(try await auth.deleteClientKey(keyId: "k", clientId: "c"))
            default: try encodesAndDecodes(try await auth.getKeyPermissions("k"))
            }
        }

        /// A relay's answers to a client with warrants.
        private static func relays(_ engine: CannedEngine) throws -> [Parser] {
            let root = AccountRoot.generate()
            let keys = DeviceKeys.generate()
            let device = try DeviceCertificates.mintDeviceId(account: root.accountId, nonce: Data(count: 16))
            let credential = try root.certify(
                device: device, signPublicKey: keys.signPublicKey, kemPublicKey: keys.kemPublicKey)
            let relay = RelayClient(
                relayURL: "https://relay.example", authorAccount: root.accountId, authorProof: credential, signer: keys,
                nonces: MemoryWarrantNonceStore(), rateLimitRetries: 1, engine: engine,
                clock: RelayClock(now: { Date(timeIntervalSince1970: 1_790_000_000) }, sleep: { _ in }))
            let trees = try relayTexts.map { try JSONSpoiler(text: $0.utf8) }
            let id = String(repeating: "c1", count: 32)
            return [
                Parser("relay-answers") { mutator in
                    engine.answers.withLock { $0 = [] }
                    for _ in 0...mutator.below(3) { engine.answer(mutator.pick(trees).spoilt(&mutator), [:], &mutator) }
                    let choice = mutator.below(10)
                    return try await reading({ $0 is MeroError || $0 is AccountError }) {
                        switch choice {
                        case 0: _ = try await relay.execute(contextId: id, method: "set", argsJson: ["a": 1])
                        case 1: _ = try await relay.query(contextId: id, method: "get")
                        case 2: _ = try await relay.warrantNonce(contextId: id)
                        case 3: try await relay.recoverNonce(contextId: id)
                        case 4: try encodesAndDecodes(try await relay.describe(id))
                        case 5: try encodesAndDecodes(try await relay.describeCreation(groupId: id))
                        case 6: try encodesAndDecodes(try await relay.describeGovernance(groupId: id))
                        case 7: _ = try await relay.govern(groupId: id, op: GovernanceOps.memberLeft(member: id))
                        case 8:
                            let key = try await RelayNodeKey.attempt(
                                relayURL: "https://relay.example", verifier: TLSRelayKeyVerifier(allowMock: true),
                                engine: engine, timeout: 1)
                            if case .learned(let key) = key { try Finding.require(Hex.is32(key), "a key that is none") }
                        default:
                            _ = try await relay.foundNamespace(
                                executor: RelayExecutor(
                                    executorAccount: String(repeating: "4d", count: 32),
                                    executorKey: String(repeating: "3c", count: 32)))
                        }
                    }
                }
            ]
        }

        private static func clouds(_ engine: CannedEngine, _ corpus: Corpus) throws -> [Parser] {
            let url = RelayOrigin.url("https://cloud.example")
            let root = AccountRoot.generate()
            let trees = try cloudTexts.map { try JSONSpoiler(text: $0.utf8) }
            let id = String(repeating: "c1", count: 32)
            let routing = CloudClient(
                baseURL: url, routingCredential: RoutingCredential(credential: "02", deviceSecret: Data(count: 32)),
                engine: engine)
            return [
                Parser("cloud-answers") { mutator in
                    engine.answers.withLock { $0 = [] }
                    for _ in 0...mutator.below(2) { engine.answer(mutator.pick(trees).spoilt(&mutator), [:], &mutator) }
                    let choice = mutator.below(12)
                    return try await reading({ $0 is MeroError || $0 is AccountError }) {
                        let cloud = CloudAccountClient(baseURL: url, sessionToken: "t", engine: engine)
                        switch choice {
                        case 0: _ = CloudClient.chooseRelay(try await routing.getAccountRelays(id))
                        case 1: _ = try await routing.getNamespaceRouting(id)
                        case 2: _ = try await routing.findAdmitter(id, admitters: [id])
                        case 3: try encodesAndDecodes(try await cloud.signInWithGoogle(idToken: "t"))
                        case 4: try encodesAndDecodes(try await cloud.signInWithAccount(root: root))
                        case 5: try encodesAndDecodes(try await cloud.refreshSession())
                        case 6: _ = try await cloud.getMyNamespaces()
                        case 7: _ = try await cloud.findExecutingRelay(id)
                        case 8: _ = try await cloud.getMyMachines()
                        case 9: _ = try await cloud.getMyAccounts()
                        case 10: _ = try await cloud.linkAccount(root: root)
                        default: _ = try await cloud.claimNamespace(id, ownershipProof: [:])
                        }
                    }
                },
                Parser("registry-answers") { mutator in
                    engine.answers.withLock { $0 = [] }
                    // Here others would be asked for again, after a while.
                    engine.answer(mutator.pick(trees).spoilt(&mutator), [:], &mutator, statuses: [200, 400, 404])
                    return try await reading({ $0 is MeroError || $0 is AccountError }) {
                        let bundles = try await ApplicationRegistry.bundles(
                            registryURL: "https://apps.example", package: "com.example", engine: engine)
                        let found = try ApplicationRegistry.resolve("com.example", among: bundles)
                        try Finding.require(Hex.is32(found.applicationId), "an application id that is none")
                    }
                },
            ]
        }

        private static let authTexts = [
            #"{"data":{"status":"healthy","storage":true,"uptime_seconds":5},"error":null}"#,
            #"{"data":{"service":"s","version":"v","authentication_mode":"m","providers":["p"]},"error":null}"#,
            #"{"providers":[{"name":"n","type":"t","description":"d","configured":true,"config":{"a":[1]}}],"count":1}"#,
            #"{"data":{"access_token":"a","refresh_token":"r","error":null}}"#,
            #"{"data":{"success":true,"message":"m","status":true},"error":null}"#,
            #"{"data":[{"key_id":"k","public_key":"p","auth_method":"a","created_at":1,"revoked_at":null,"permissions":["x"]}]}"#,
            #"{"data":[{"client_id":"c","root_key_id":"r","name":"n","permissions":["x"],"created_at":1,"revoked_at":2,"is_valid":true}]}"#,
            #"{"data":{"permissions":["admin","context:execute[a,b]"]},"error":null}"#,
            #"{"success":true,"message":"m"}"#,
        ]

        private static let relayTexts = [
            #"{"data":{"executorAccount":"4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d","executorKey":"3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c","canAuthorOnBehalf":true,"canCreateOnBehalf":true,"authorMayCreate":true,"canActOnBehalf":true,"groupId":"c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1","releaseBytecodeId":"7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e","releaseVersion":"1.2.0"}}"#,
            #"{"data":{"rootHash":"9999","returns":{"a":[1,2,3]}}}"#, #"{"data":{"returns":null}}"#,
            #"{"data":{"nextNonce":7,"highWaterNonce":6,"seen":true}}"#,
            #"{"nextNonce":null,"highWaterNonce":18446744073709551615,"seen":true}"#,
            #"{"error":"this warrant's nonce has already been spent by this author device"}"#,
            #"{"error":"no","type":"NotFound","data":"x"}"#, #"{"error":{"code":"busy","message":"m"}}"#,
            #"{"data":{"groupId":"c1","namespaceId":"c1","contextId":"c2","memberPublicKey":"k","opHash":"00"}}"#,
            #"{"data":{"quoteB64":"TU9DS19URFhfUVVPVEVfVjE=","boundPublicKey":"3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c","collateral":{}}}"#,
        ]

        private static let cloudTexts = [
            #"{"nonce":"n-42","expires_at_ms":1800000000000,"account_id":"a","namespace_id":"n"}"#,
            #"{"relays":[{"peer_id":"p","relay_url":"https://r.example","fresh":true,"executor_account":"ab","assigned":true}]}"#,
            #"{"namespace_id":"n","admitters":[{"peer_id":"p","account":"a","relay_url":"https://r","admit_url":"https://r/admit","status":"s","fresh":true,"can_admit":true,"authorship_ready":true,"tee_role":"executor","can_execute":true}],"servable":true,"writable":true}"#,
            #"{"session_token":"t","expires_at":1790000000,"user":{"email":"e","name":"n","picture":"p"}}"#,
            #"{"namespaces":[{"namespace_id":"n","name":"x","ha_enabled":true,"role":"owner","relays":[{"peer_id":"p","relay_url":"u","fresh":true}],"created_at":1}]}"#,
            #"{"machines":[{"id":"m","peer_id":"p","status":"up","region":"r","created_at":1}]}"#,
            #"{"accounts":[{"account_id":"a","label":"l","linked_at":1}],"limit":5}"#,
            #"{"bundles":[{"package":"com.example","signerId":"s","appVersion":"1.2.3","yanked":false},{"package":"com.example","signerId":"s","appVersion":"10.0.0-rc.1"}]}"#,
            #"[{"package":"com.example","signerId":"s","appVersion":"1.2.3","yanked":false}]"#,
            #"{"error":"no","code":"account_unknown"}"#,
        ]
    }

    extension CannedEngine {
        /// Adds an answer with a status and headers that may be anything.
        func answer(
            _ body: [UInt8], _ headers: [String: String], _ mutator: inout Mutator,
            statuses: [Int] = CannedEngine.statuses
        ) {
            var headers = headers
            let isGood = !mutator.once(in: 5)
            let status = isGood ? mutator.pick([200, 200, 200, 201, 204]) : mutator.pick(statuses)
            for name in Self.headerNames where mutator.once(in: 8) {
                headers[name] = mutator.maybeSpoil(mutator.pick(Self.headerValues))
            }
            let answer = EngineResponse(status: status, headers: headers, body: Data(mutator.once(in: 40) ? [] : body))
            answers.withLock { answers in
                if answers.count > 8 { answers = [] }
                answers.append(answer)
            }
        }

        static let statuses = [
            0, 99, 101, 301, 302, 303, 307, 308, 304, 400, 401, 403, 404, 409, 410, 413, 422, 429, 500, 502, 503, 599,
            999, -1,
        ]
        private static let headerNames = [
            "x-auth-error", "www-authenticate", "retry-after", "location", "content-type", "content-length",
            "x-auth-user",
            "x-session-token", "x-session-expires-at", "content-disposition", "x-blob-id", "x-blob-hash", "x-blob-size",
            "etag", "x-sealed",
        ]
        private static let headerValues = [
            "token_expired", "token_revoked", "token_reuse", "permission_denied", "Bearer realm=\"x\"", "1", "0", "-1",
            "nan",
            "inf", "1e308", "99999999999999999999", "Wed, 21 Oct 2015 07:28:00 GMT", "https://n.example/p/other",
            "/other",
            "//evil.example/x", "http://n.example:99999/", "application/json", "attachment; filename=\"../../x\"",
            "1790000000",
        ]
    }
#endif
