@testable import MeroKit

extension AdminCall {
    private static let context =
        #"""
        {"id":"c0","applicationId":"3f","contextStateHash":"77","dagHeads":[[18,52,0,255]],
        "applicationVersion":"1.2.0","name":"lobby","serviceName":"chat"}
        """#
    private static let listed =
        #"""
        {"data":{"contexts":[{"id":"c0","applicationId":"3f","contextStateHash":"77","dagHeads":[[1]],
        "applicationVersion":"1.2.0","name":"lobby","groupId":"9a"}]}}
        """#

    @AdminCalls static var contexts: [AdminCall] {
        AdminCall(
            "createContext", "POST /contexts",
            body: .json(#"{"applicationId":"$application","groupId":"$group","initializationParams":[]}"#),
            answer: #"{"data":{"contextId":"c0","memberPublicKey":"k"}}"#
        ) { admin, ids in
            try await admin.createContext(CreateContextRequest(applicationId: ids.application, groupId: ids.group))
        }
        AdminCall(
            "createContext with everything", "POST /contexts",
            body: .json(
                #"""
                {"applicationId":"$application","groupId":"$group","serviceName":"s","contextSeed":"00",
                "initializationParams":[123,0,255],"identitySecret":"11","name":"n"}
                """#),
            answer: #"{"data":{"contextId":"c0","memberPublicKey":"k","groupId":"9a","groupCreated":false}}"#
        ) { admin, ids in
            try await admin.createContext(
                CreateContextRequest(
                    applicationId: ids.application, groupId: ids.group, serviceName: "s", contextSeed: "00",
                    initializationParams: [123, 0, 255], identitySecret: "11", name: "n"))
        }
        AdminCall("deleteContext", "DELETE /contexts/$context", answer: #"{"data":{"isDeleted":true}}"#) { admin, ids in
            try await admin.deleteContext(ids.context)
        }
        AdminCall(
            "deleteContext with a request", "DELETE /contexts/$context", body: .json("{}"),
            answer: #"{"data":{"isDeleted":false}}"#
        ) { admin, ids in try await admin.deleteContext(ids.context, request: DeleteContextRequest()) }
        AdminCall("getContexts", "GET /contexts", answer: listed) { admin, _ in try await admin.getContexts() }
        AdminCall(
            "getContexts by page", "GET /contexts?offset=100&limit=1000", answer: #"{"data":{"contexts":[]}}"#
        ) { admin, _ in try await admin.getContexts(offset: 100, limit: 1000) }
        AdminCall("getContext", "GET /contexts/$context", answer: #"{"data":\#(context)}"#) { admin, ids in
            try await admin.getContext(ids.context)
        }
        AdminCall(
            "getContext that is fresh", "GET /contexts/$context",
            answer: #"{"data":{"id":"c0","applicationId":"3f","contextStateHash":"00"}}"#,
            result: .json(#"{"id":"c0","applicationId":"3f","contextStateHash":"00","dagHeads":[]}"#)
        ) { admin, ids in try await admin.getContext(ids.context) }
        AdminCall(
            "getContextsForApplication", "GET /contexts/for-application/$application", answer: listed
        ) { admin, ids in try await admin.getContextsForApplication(ids.application) }
        AdminCall(
            "getContextsWithExecutorsForApplication", "GET /contexts/with-executors/for-application/$application",
            answer: #"""
                {"contexts":[{"id":"c0","application_id":"3f","contextStateHash":"77","executors":["k1"]}]}
                """#,
            result: .json(#"[{"contextId":"c0","executors":["k1"]}]"#)
        ) { admin, ids in try await admin.getContextsWithExecutorsForApplication(ids.application) }
        AdminCall(
            "getContextsWithExecutorsForApplication bare", "GET /contexts/with-executors/for-application/$application",
            answer: #"[{"contextId":"c0","executors":[]}]"#, result: .whole
        ) { admin, ids in try await admin.getContextsWithExecutorsForApplication(ids.application) }
        AdminCall(
            "getContextsWithExecutorsForApplication enveloped",
            "GET /contexts/with-executors/for-application/$application",
            answer: #"{"data":[{"contextId":"c0","executors":[]}]}"#
        ) { admin, ids in try await admin.getContextsWithExecutorsForApplication(ids.application) }
        AdminCall(
            "getContextIdentities", "GET /contexts/$context/identities",
            answer: #"{"data":{"identities":["k1"],"identitiesOf":"members"}}"#
        ) { admin, ids in try await admin.getContextIdentities(ids.context) }
        AdminCall(
            "getContextIdentitiesOwned", "GET /contexts/$context/identities-owned",
            answer: #"{"data":{"identities":[],"identitiesOf":"caller"}}"#
        ) { admin, ids in try await admin.getContextIdentitiesOwned(ids.context) }
        AdminCall(
            "getContextIdentitiesOwned with a new word", "GET /contexts/$context/identities-owned",
            answer: #"{"data":{"identities":[],"identitiesOf":"strangers"}}"#, result: .json(#"{"identities":[]}"#)
        ) { admin, ids in try await admin.getContextIdentitiesOwned(ids.context) }
        AdminCall(
            "generateContextIdentity", "POST /identity/context", body: .json("{}"),
            answer: #"{"data":{"publicKey":"k"}}"#
        ) { admin, _ in try await admin.generateContextIdentity() }
        AdminCall(
            "joinContext", "POST /contexts/$context/join", body: .json("{}"),
            answer: #"{"data":{"contextId":"c0","memberPublicKey":"k"}}"#
        ) { admin, ids in try await admin.joinContext(ids.context) }
        AdminCall(
            "leaveContext", "POST /contexts/$context/leave", answer: #"{"data":{"contextId":"c0"}}"#,
            void: { admin, ids in try await admin.leaveContext(ids.context) })
        AdminCall(
            "leaveContext with a request", "POST /contexts/$context/leave", body: .json(#"{"a":1}"#), answer: "",
            void: { admin, ids in try await admin.leaveContext(ids.context, request: ["a": 1]) })
        AdminCall("getContextGroup", "GET /contexts/$context/group", answer: #"{"data":"9a"}"#) { admin, ids in
            try await admin.getContextGroup(ids.context)
        }
        AdminCall("getContextGroup of none", "GET /contexts/$context/group", answer: #"{"data":null}"#) { admin, ids in
            try await admin.getContextGroup(ids.context)
        }
        AdminCall(
            "getContextStorage", "GET /contexts/$context/storage",
            answer: #"{"data":{"sizeInBytes":9007199254740991}}"#
        ) { admin, ids in try await admin.getContextStorage(ids.context) }
        AdminCall(
            "syncContext", "POST /contexts/sync/$context", answer: #"{"data":null}"#,
            void: { admin, ids in try await admin.syncContext(ids.context) })
        AdminCall(
            "syncContext of all", "POST /contexts/sync", answer: #"{"data":null}"#,
            void: { admin, _ in try await admin.syncContext() })
        AdminCall(
            "resyncContext", "POST /contexts/$context/resync", body: .json("{}"),
            answer: #"{"contextId":"c0","resyncStarted":true}"#, result: .whole
        ) { admin, ids in try await admin.resyncContext(ids.context) }
        AdminCall(
            "resyncContext by force", "POST /contexts/$context/resync", body: .json(#"{"force":true}"#),
            answer: #"{"contextId":"c0","resyncStarted":false}"#, result: .whole
        ) { admin, ids in try await admin.resyncContext(ids.context, request: ResyncContextRequest(force: true)) }
        AdminCall(
            "updateContextApplication", "POST /contexts/$context/application",
            body: .json(#"{"applicationId":"$application","executorPublicKey":"k"}"#), answer: #"{"data":null}"#,
            void: { admin, ids in
                try await admin.updateContextApplication(
                    ids.context,
                    request: UpdateContextApplicationRequest(applicationId: ids.application, executorPublicKey: "k"))
            })
    }
}
