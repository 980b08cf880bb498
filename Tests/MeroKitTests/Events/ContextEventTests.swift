import Foundation
import Testing

@testable import MeroKit

/// Every row of the table of events, from the wire and made by hand.
@Suite struct ContextEventTests {
    private let account = String(repeating: "7", count: 64)

    /// The same event as it comes from the wire and as an app makes it: what one of them says, both do.
    private func forms(_ kind: String, _ data: String, key: String = "contextId") throws -> [ContextEvent] {
        let text = #"{"result":{"\#(key)":"id","type":"\#(kind)","data":\#(data)}}"#
        let wire = try #require(EventFrame(text).event, "\(text)")
        let made = ContextEvent(
            contextId: wire.contextId, kind: wire.kind, payload: wire.payload, groupId: wire.groupId)
        #expect(made.payload == wire.payload)
        return [wire, made]
    }

    private func content(
        _ kind: String, _ data: String, key: String = "contextId", sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> ContextEvent.Content {
        let contents = try forms(kind, data, key: key).map(\.content)
        #expect(contents[0] == contents[1], sourceLocation: sourceLocation)
        return contents[0]
    }

    // MARK: StateMutation

    @Test func stateMutation() throws {
        let data = #"""
            {"newRoot":"7320","events":[{"kind":"Inserted","data":[123,34,107,34,58,49,125],"handler":null},
             {"kind":"Raw","data":[],"handler":"on_raw"}]}
            """#
        let expected = [
            ContractEvent(kind: "Inserted", data: Data(#"{"k":1}"#.utf8)),
            ContractEvent(kind: "Raw", data: Data(), handler: "on_raw"),
        ]
        guard case .stateMutation(let mutation) = try content("StateMutation", data) else { return unexpected() }
        #expect(mutation.newRoot == "7320")
        #expect(mutation.events == expected)
        for event in try forms("StateMutation", data) { #expect(event.contractEvents == expected) }
        #expect(try expected[0].decode([String: Int].self) == ["k": 1])
        #expect(expected[0].json == ["k": 1])
        #expect(expected[1].json == nil)
    }

    @Test(arguments: [#"{"newRoot":"r","events":null}"#, #"{"newRoot":"r"}"#, #"{"newRoot":"r","events":[]}"#])
    func stateMutationWithoutContractEvents(_ data: String) throws {
        guard case .stateMutation(let mutation) = try content("StateMutation", data) else { return unexpected() }
        #expect(mutation.newRoot == "r" && mutation.events.isEmpty)
        for event in try forms("StateMutation", data) { #expect(event.contractEvents.isEmpty) }
    }

    @Test func contractEventsWithoutBytesAreLeftOut() throws {
        let data = #"""
            {"events":[{"kind":"A","data":[256]},{"kind":"B","data":"eA=="},{"kind":"C"},{"data":[1]},5,null,
             {"kind":"D","data":[1,2],"handler":7},{"kind":"E","data":[-1]},{"kind":"F","data":[1.5]}]}
            """#
        for event in try forms("StateMutation", data) {
            #expect(event.contractEvents == [ContractEvent(kind: "D", data: Data([1, 2]))])
        }
    }

    @Test func onlyStateMutationsHaveContractEvents() throws {
        for event in try forms("Other", #"{"events":[{"kind":"A","data":[1]}]}"#) {
            #expect(event.contractEvents.isEmpty)
        }
        for event in try forms("StateMutation", "[1,2]") {
            #expect(event.contractEvents.isEmpty && event.content == .other)
        }
        let bare = try #require(EventFrame(#"{"result":{"contextId":"c","type":"StateMutation"}}"#).event)
        #expect(bare.contractEvents.isEmpty && bare.content == .other)
    }

    @Test func aContractEventThatIsNoJSONIsADecodingError() {
        let event = ContractEvent(kind: "K", data: Data("not json".utf8))
        let error = #expect(throws: MeroError.self) { try event.decode(Int.self) }
        guard case .decoding(let text) = error else { return unexpected() }
        #expect(text.contains("K") && text.contains("not json"))
        let exact = ContractEvent(kind: "K", data: Data("18446744073709551615".utf8))
        #expect(throws: Never.self) { try exact.decode(UInt64.self) }
        #expect((try? exact.decode()) == UInt64.max)
        #expect(throws: MeroError.self) { try exact.decode(String.self) }
    }

    // MARK: SyncStatus

    @Test(
        arguments: [
            (#"{"state":"idle"}"#, .idle), (#"{"state":"waitingForPeers"}"#, .waitingForPeers),
            (#"{"state":"syncing"}"#, .syncing),
            (
                #"{"state":"receivingSnapshot","records_received":18446744073709551615,"percent":40,"eta_secs":9}"#,
                .receivingSnapshot(recordsReceived: .max, percent: 40, etaSeconds: 9)
            ),
            (
                #"{"state":"receivingSnapshot","recordsReceived":7,"percent":null,"etaSecs":3}"#,
                .receivingSnapshot(recordsReceived: 7, percent: nil, etaSeconds: 3)
            ),
            (
                #"{"state":"receivingSnapshot","records_received":0,"percent":null,"eta_secs":null}"#,
                .receivingSnapshot(recordsReceived: 0, percent: nil, etaSeconds: nil)
            ),
            (#"{"state":"backingOff","retry_in_secs":8}"#, .backingOff(retryInSeconds: 8)),
            (#"{"state":"backingOff","retryInSecs":8}"#, .backingOff(retryInSeconds: 8)),
            (#"{"state":"backingOff"}"#, .backingOff(retryInSeconds: nil)),
            (#"{"state":"napping","x":1}"#, .unknown("napping")),
        ] as [(String, SyncState)])
    func syncStates(_ json: String, _ state: SyncState) throws {
        // By hand, an integer beyond 2^53 is a double; the wire's is exact.
        let event = try #require(
            EventFrame(#"{"result":{"contextId":"c","type":"SyncStatus","data":{"syncState":\#(json)}}}"#).event)
        guard case .syncStatus(let status) = event.content else { return unexpected() }
        #expect(status.state == state)
        #expect(status.failureCount == 0 && status.lastError == nil)
    }

    @Test func syncStatus() throws {
        let data = #"{"syncState":{"state":"backingOff","retry_in_secs":8},"failureCount":3,"lastError":"no peers"}"#
        guard case .syncStatus(let status) = try content("SyncStatus", data) else { return unexpected() }
        #expect(
            status.state == .backingOff(retryInSeconds: 8) && status.failureCount == 3 && status.lastError == "no peers"
        )
        #expect(try content("SyncStatus", #"{"failureCount":3}"#) == .other)
        #expect(try content("SyncStatus", #"{"syncState":"idle"}"#) == .other)
    }

    // MARK: Other context events

    @Test func appVersionChanged() throws {
        for (data, from, to) in [
            (#"{"fromVersion":"1.0.0","toVersion":"2.0.0"}"#, "1.0.0", "2.0.0"),
            (#"{"toVersion":"2.0.0"}"#, nil, "2.0.0"),
            ("{}", nil, nil),
        ] as [(String, String?, String?)] {
            guard case .appVersionChanged(let change) = try content("AppVersionChanged", data) else {
                return unexpected()
            }
            #expect(change.fromVersion == from && change.toVersion == to)
        }
    }

    @Test(
        arguments: [
            (#"{"status":"ok"}"#, .ok), (#"{"status":"denied","detail":{"reason":"no"}}"#, .denied(reason: "no")),
            (#"{"status":"exec_error","detail":{"message":"boom"}}"#, .executionFailed(message: "boom")),
            (#"{"status":"denied"}"#, .denied(reason: nil)),
            (#"{"status":"exec_error","detail":3}"#, .executionFailed(message: nil)),
            (#"{"status":"later"}"#, .unknown(status: "later")),
        ] as [(String, ContextEvent.XCall.Outcome)])
    func xCall(_ outcome: String, _ expected: ContextEvent.XCall.Outcome) throws {
        let data = #"{"targetContextId":"t","function":"f","outcome":\#(outcome)}"#
        guard case .xCall(let call) = try content("XCall", data) else { return unexpected() }
        #expect(call.targetContextId == "t" && call.function == "f" && call.outcome == expected)
    }

    // MARK: Groups

    @Test(arguments: ["MemberJoined", "MemberAdded", "MemberRemoved"])
    func membership(_ kind: String) throws {
        let data = #"{"memberAccount":"\#(account)","role":"ReadOnlyTee"}"#
        let change: ContextEvent.MembershipChange
        switch (kind, try content(kind, data, key: "groupId")) {
        case ("MemberJoined", .memberJoined(let found)), ("MemberAdded", .memberAdded(let found)),
            ("MemberRemoved", .memberRemoved(let found)):
            change = found
        default: return unexpected()
        }
        #expect(change.memberAccount == account && change.role == "ReadOnlyTee" && change.knownRole == .readOnlyTee)
        for event in try forms(kind, data, key: "groupId") {
            #expect(event.groupId == "id" && event.contextId == "")
        }
    }

    @Test func roles() throws {
        for (role, known) in [
            ("Admin", .admin), ("Member", .member), ("ReadOnly", .readOnly), ("ReadOnlyTee", .readOnlyTee),
            ("RelayTee", .relayTee),
            ("Owner", nil),
        ] as [(String, ContextEvent.MembershipChange.Role?)] {
            let data = #"{"memberAccount":"a","role":"\#(role)"}"#
            guard case .memberAdded(let change) = try content("MemberAdded", data, key: "groupId") else {
                return unexpected()
            }
            #expect(change.role == role && change.knownRole == known)
        }
        for data in [#"{"memberAccount":"a"}"#, #"{"memberAccount":"a","role":null}"#] {
            guard case .memberRemoved(let change) = try content("MemberRemoved", data, key: "groupId") else {
                return unexpected()
            }
            #expect(change.memberAccount == "a" && change.role == nil && change.knownRole == nil)
        }
    }

    @Test func aSigningKeyIsNoAccount() throws {
        let data = #"{"member":"\#(account)","role":"Member"}"#
        guard case .memberJoined(let change) = try content("MemberJoined", data, key: "groupId") else {
            return unexpected()
        }
        #expect(change.memberAccount == nil && change.knownRole == .member)
    }

    @Test func migration() throws {
        guard
            case .migrationStarted(let started) = try content(
                "MigrationStarted",
                #"{"fromVersion":"1","toVersion":"2","toStateVersion":4294967295,"localContextsTotal":3}"#,
                key: "groupId")
        else { return unexpected() }
        #expect(
            started.fromVersion == "1" && started.toVersion == "2" && started.toStateVersion == 4_294_967_295
                && started.localContextsTotal == 3)

        guard
            case .migrationProgress(let progress) = try content(
                "MigrationProgress", #"{"migrated":1,"inProgress":2,"unknown":3,"failed":4,"total":10}"#, key: "groupId"
            )
        else { return unexpected() }
        let counts: [Int] = [progress.migrated, progress.inProgress, progress.unknown, progress.failed, progress.total]
        #expect(counts == [1, 2, 3, 4, 10])

        guard
            case .cascadeProgress(let cascade) = try content(
                "CascadeProgress", #"{"subgroupId":"s","localContextsSwapped":5,"localContextsTotal":6}"#,
                key: "groupId")
        else { return unexpected() }
        #expect(cascade.subgroupId == "s" && cascade.localContextsSwapped == 5 && cascade.localContextsTotal == 6)

        guard
            case .migrationCompleted(let completed) = try content(
                "MigrationCompleted", #"{"toVersion":"2","completedAt":1767225600}"#, key: "groupId")
        else { return unexpected() }
        #expect(completed.toVersion == "2" && completed.completedAt == 1_767_225_600)
    }

    // MARK: What is not known

    @Test(arguments: [
        ("ExecutionEvent", "{}"), ("statemutation", "{}"), ("event", "null"), ("XCall", #"{"function":"f"}"#),
        ("Ephemeral", #"{"state":[1]}"#), ("Ephemeral", "[]"), ("MigrationStarted", #"{"toVersion":"2"}"#),
        ("MigrationProgress", #"{"migrated":"1"}"#), ("CascadeProgress", "7"),
        ("MigrationCompleted", #"{"toVersion":"2"}"#),
    ])
    func whatIsNotKnownIsDeliveredRaw(_ kind: String, _ data: String) throws {
        #expect(try content(kind, data) == .other)
        for event in try forms(kind, data) {
            #expect(event.kind == kind)
            #expect(event.payload["data"] == (try JSONValue(jsonBytes: Data(data.utf8))))
            #expect(event.presenceAccount == nil)
        }
    }

    @Test func anEventMadeByHandKeepsItsPayload() {
        let event = ContextEvent(contextId: "c", kind: "New", payload: ["data": .number(.infinity)])
        #expect(event.payload["data"] == .number(.infinity))
        #expect(event.payloadJSON.isEmpty && event.content == .other && event.contractEvents.isEmpty)
        #expect(ContextEvent(contextId: "c", kind: "Ephemeral", payload: .null).content == .other)
    }

    @Test func descriptionNamesTheEventAndNotItsData() throws {
        let event = try #require(EventFrame(#"{"result":{"groupId":"g","type":"K","data":{"secret":"s3"}}}"#).event)
        #expect("\(event)" == "K group g")
    }

    @Test func payloadsCanBeAskedForFromManyTasks() async throws {
        let event = try #require(
            EventFrame(#"{"result":{"contextId":"c","type":"New","data":\#(Array(0..<2000))}}"#).event)
        let counts = await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<16 { group.addTask { event.payload["data"]?.arrayValue?.count } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts == Array(repeating: 2000, count: 16))
    }

    private func unexpected(sourceLocation: SourceLocation = #_sourceLocation) {
        Issue.record("another content", sourceLocation: sourceLocation)
    }
}
