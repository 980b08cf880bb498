@testable import MeroKit

extension AdminCall {
    static let invitation =
        #"""
        {"invitation":{"inviter_identity":[17,0,255],"group_id":[9],"expiration_timestamp":1790086400,
        "secret_salt":[1,2],"invited_role":1,"admitters":["aa"]},"inviter_signature":"5c","inviter_account":"bb",
        "admitter_addrs":["/ip4/10.0.0.7/tcp/2428/p2p/12D3"],"application_id":[7],"app_key":[8]}
        """#
    static func sampleInvitation() throws -> SignedGroupOpenInvitation {
        try MeroJSON.decode(SignedGroupOpenInvitation.self, from: .init(invitation.utf8))
    }

    private static let namespace =
        #"""
        {"namespaceId":"9b","appKey":"e3","targetApplicationId":"3f","createdAt":1788952388,"name":"n",
        "memberCount":1,"contextCount":0,"subgroupCount":2,"appVersion":"3.1.1",
        "founding":{"founderAccountId":"aa","salt":"55"},
        "heldOps":{"ops":[{"deltaId":"d","groupId":"g"}],"untracked":3}}
        """#

    @AdminCalls static var namespaces: [AdminCall] {
        AdminCall("listNamespaces", "GET /namespaces", answer: #"{"data":[\#(namespace)]}"#) { admin, _ in
            try await admin.listNamespaces()
        }
        AdminCall("listNamespaces by page", "GET /namespaces?offset=0&limit=5", answer: #"{"data":[]}"#) { admin, _ in
            try await admin.listNamespaces(offset: 0, limit: 5)
        }
        AdminCall("getNamespace", "GET /namespaces/$namespace", answer: #"{"data":\#(namespace)}"#) { admin, ids in
            try await admin.getNamespace(ids.namespace)
        }
        AdminCall(
            "listNamespacesForApplication", "GET /namespaces/for-application/$application", answer: #"{"data":[]}"#
        ) { admin, ids in try await admin.listNamespacesForApplication(ids.application) }
        AdminCall(
            "listNamespacesForApplication by page",
            "GET /namespaces/for-application/$application?offset=7&limit=3", answer: #"{"data":[]}"#
        ) { admin, ids in try await admin.listNamespacesForApplication(ids.application, offset: 7, limit: 3) }
        AdminCall(
            "createNamespace", "POST /namespaces", body: .json(#"{"applicationId":"$application"}"#),
            answer: #"{"data":{"namespaceId":"9b"}}"#
        ) { admin, ids in try await admin.createNamespace(CreateNamespaceRequest(applicationId: ids.application)) }
        AdminCall(
            "createNamespace with everything", "POST /namespaces",
            body: .json(#"{"applicationId":"$application","name":"n","appKey":"e3"}"#),
            answer: #"{"data":{"namespaceId":"9b","founding":{"founderAccountId":"aa","salt":"55"}}}"#
        ) { admin, ids in
            try await admin.createNamespace(
                CreateNamespaceRequest(applicationId: ids.application, name: "n", appKey: "e3"))
        }
        AdminCall(
            "deleteNamespace", "DELETE /namespaces/$namespace", body: .json("{}"),
            answer: #"{"data":{"isDeleted":true}}"#
        ) { admin, ids in try await admin.deleteNamespace(ids.namespace) }
        AdminCall(
            "createNamespaceInvitation", "POST /namespaces/$namespace/invite", body: .json("{}"),
            answer: #"{"data":{"invitation":\#(invitation),"groupName":"g"}}"#
        ) { admin, ids in try await admin.createNamespaceInvitation(ids.namespace) }
        AdminCall(
            "createNamespaceInvitation to all below", "POST /namespaces/$namespace/invite",
            body: .json(
                #"{"expirationTimestamp":60,"recursive":true,"admitters":["$account"],"admitterAddrs":["/ip4"]}"#),
            answer: #"{"data":{"invitations":[{"groupId":"g","invitation":\#(invitation)}]}}"#
        ) { admin, ids in
            try await admin.createNamespaceInvitation(
                ids.namespace,
                request: CreateNamespaceInvitationRequest(
                    expirationTimestamp: 60, recursive: true, admitters: [ids.account], admitterAddrs: ["/ip4"]))
        }
        AdminCall(
            "joinNamespace", "POST /namespaces/$namespace/join",
            body: .json(#"{"invitation":\#(invitation),"groupName":"g"}"#),
            answer: #"{"data":{"namespaceId":"9b","memberIdentity":"k","memberAccount":"aa"}}"#, timeout: 65
        ) { admin, ids in
            try await admin.joinNamespace(
                ids.namespace, request: JoinNamespaceRequest(invitation: sampleInvitation(), groupName: "g"))
        }
        AdminCall(
            "joinNamespace before rc.25", "POST /namespaces/$namespace/join",
            body: .json(#"{"invitation":\#(invitation)}"#),
            answer: #"{"data":{"groupId":"9b","memberIdentity":"k","memberAccount":"aa"}}"#,
            result: .json(#"{"namespaceId":"9b","memberIdentity":"k","memberAccount":"aa"}"#), timeout: 65
        ) { admin, ids in
            try await admin.joinNamespace(ids.namespace, request: JoinNamespaceRequest(invitation: sampleInvitation()))
        }
        AdminCall(
            "joinNamespace before rc.21", "POST /namespaces/$namespace/join",
            body: .json(#"{"invitation":\#(invitation)}"#),
            answer: #"{"data":{"groupId":"9b","memberIdentity":"k","governanceOp":""}}"#,
            result: .json(#"{"namespaceId":"9b","memberIdentity":"k"}"#), timeout: 65
        ) { admin, ids in
            try await admin.joinNamespace(ids.namespace, request: JoinNamespaceRequest(invitation: sampleInvitation()))
        }
        AdminCall(
            "admitJoin", "POST /namespaces/$namespace/admit",
            body: .json(#"{"invitation":\#(invitation),"signedOp":"02"}"#), answer: #"{"data":{"published":true}}"#
        ) { admin, ids in
            try await admin.admitJoin(
                ids.namespace, request: AdmitJoinRequest(invitation: sampleInvitation(), signedOp: "02"))
        }
        AdminCall(
            "leaveNamespace", "POST /namespaces/$namespace/leave", answer: #"{"data":{"namespaceId":"9b"}}"#,
            void: { admin, ids in try await admin.leaveNamespace(ids.namespace) })
        AdminCall(
            "createGroupInNamespace", "POST /namespaces/$namespace/groups",
            body: .json(#"{"visibility":"restricted"}"#), answer: #"{"data":{"groupId":"9a"}}"#
        ) { admin, ids in try await admin.createGroupInNamespace(ids.namespace) }
        AdminCall(
            "createGroupInNamespace by name", "POST /namespaces/$namespace/groups",
            body: .json(#"{"groupName":"room","visibility":"restricted"}"#), answer: #"{"data":{"groupId":"9a"}}"#
        ) { admin, ids in try await admin.createGroupInNamespace(ids.namespace, request: .init(groupName: "room")) }
        AdminCall(
            "createGroupInNamespace that is open", "POST /namespaces/$namespace/groups",
            body: .json(#"{"groupName":"lobby","visibility":"open"}"#), answer: #"{"data":{"groupId":"9a"}}"#
        ) { admin, ids in
            try await admin.createGroupInNamespace(
                ids.namespace, request: .init(groupName: "lobby", visibility: "open"))
        }
        AdminCall(
            "listNamespaceGroups", "GET /namespaces/$namespace/groups",
            answer: #"{"data":[{"groupId":"9a","name":"n"},{"groupId":"9c"}]}"#
        ) { admin, ids in try await admin.listNamespaceGroups(ids.namespace) }
    }
}
