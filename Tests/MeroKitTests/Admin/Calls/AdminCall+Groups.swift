@testable import MeroKit

extension AdminCall {
    @AdminCalls static var groups: [AdminCall] {
        AdminCall(
            "createGroup", "POST /groups", body: .json(#"{"applicationId":"$application","name":"n"}"#),
            answer: #"{"data":{"groupId":"9a"}}"#
        ) { admin, ids in
            try await admin.createGroup(CreateGroupRequest(applicationId: ids.application, name: "n"))
        }
        AdminCall(
            "createGroup with everything", "POST /groups",
            body: .json(#"{"applicationId":"$application","appKey":"e3","name":"n","parentGroupId":"$group"}"#),
            answer: #"{"data":{"groupId":"9a"}}"#
        ) { admin, ids in
            try await admin.createGroup(
                CreateGroupRequest(
                    applicationId: ids.application, appKey: "e3", name: "n", parentGroupId: ids.group))
        }
        AdminCall(
            "createGroup by dictionary", "POST /groups", body: .json(#"{"applicationId":"$application","x":[1,null]}"#),
            answer: #"{"data":{"groupId":"9a"}}"#
        ) { admin, ids in
            try await admin.createGroup(["applicationId": .string(ids.application), "x": [1, nil]])
        }
        AdminCall(
            "getGroupInfo", "GET /groups/$group",
            answer: #"""
                {"data":{"groupId":"9a","appKey":"e3","targetApplicationId":"3f","memberCount":2,"contextCount":1,
                "defaultCapabilities":7,"subgroupVisibility":"open","groupStateHash":"77","namespaceId":"9b",
                "ownerOpCounter":7,"metadata":{"name":"n","data":{"k":"v"},"updatedAt":1790000000000,"updatedBy":"k"}}}
                """#
        ) { admin, ids in try await admin.getGroupInfo(ids.group) }
        AdminCall(
            "getDefaultCapabilities", "GET /groups/$group", answer: groupInfo(capabilities: "1023"),
            result: .json("1023")
        ) { admin, ids in try await admin.getDefaultCapabilities(ids.group) }
        AdminCall(
            "getSubgroupVisibility", "GET /groups/$group", answer: groupInfo(capabilities: "0"),
            result: .json(#""restricted""#)
        ) { admin, ids in try await admin.getSubgroupVisibility(ids.group) }
        AdminCall(
            "deleteGroup", "DELETE /groups/$group", body: .json("{}"), answer: #"{"data":{"isDeleted":true}}"#
        ) { admin, ids in try await admin.deleteGroup(ids.group) }
        AdminCall(
            "listGroupContexts", "GET /groups/$group/contexts",
            answer: #"{"data":[{"contextId":"c0","name":"n"},{"contextId":"c1"}]}"#
        ) { admin, ids in try await admin.listGroupContexts(ids.group) }
        AdminCall(
            "listGroupContexts by page", "GET /groups/$group/contexts?offset=100&limit=100", answer: #"{"data":[]}"#
        ) { admin, ids in try await admin.listGroupContexts(ids.group, offset: 100, limit: 100) }
        AdminCall(
            "leaveGroup", "POST /groups/$group/leave", answer: #"{"data":{"groupId":"9a"}}"#,
            void: { admin, ids in try await admin.leaveGroup(ids.group) })
        AdminCall(
            "listSubgroups", "GET /groups/$group/subgroups", answer: #"{"subgroups":[{"groupId":"9c","name":"n"}]}"#,
            result: .json(#"[{"groupId":"9c","name":"n"}]"#)
        ) { admin, ids in try await admin.listSubgroups(ids.group) }
        AdminCall(
            "listSubgroups enveloped", "GET /groups/$group/subgroups", answer: #"{"data":[{"groupId":"9c"}]}"#
        ) { admin, ids in try await admin.listSubgroups(ids.group) }
        AdminCall("listSubgroups of none", "GET /groups/$group/subgroups", result: .json("[]")) { admin, ids in
            try await admin.listSubgroups(ids.group)
        }
        AdminCall(
            "reparentGroup", "POST /groups/$group/reparent", body: .json(#"{"newParentId":"$namespace"}"#),
            answer: #"{"reparented":true}"#, result: .whole
        ) { admin, ids in
            try await admin.reparentGroup(ids.group, request: ReparentGroupRequest(newParentId: ids.namespace))
        }
        AdminCall(
            "reparentGroup enveloped", "POST /groups/$group/reparent", body: .json(#"{"newParentId":"p"}"#),
            answer: #"{"data":{"reparented":false}}"#
        ) { admin, ids in try await admin.reparentGroup(ids.group, request: ReparentGroupRequest(newParentId: "p")) }
        AdminCall(
            "detachContextFromGroup", "POST /groups/$group/contexts/$context/remove",
            void: { admin, ids in try await admin.detachContextFromGroup(ids.group, contextId: ids.context) })
        AdminCall(
            "createGroupInvitation", "POST /groups/$group/invite", body: .json("{}"),
            answer: #"{"data":{"invitation":\#(invitation)}}"#
        ) { admin, ids in try await admin.createGroupInvitation(ids.group) }
        AdminCall(
            "createGroupInvitation to all below", "POST /groups/$group/invite", body: .json(#"{"recursive":true}"#),
            answer: #"{"data":{"invitations":[]}}"#
        ) { admin, ids in
            try await admin.createGroupInvitation(ids.group, request: CreateGroupInvitationRequest(recursive: true))
        }
        AdminCall(
            "joinGroup", "POST /groups/join", body: .json(#"{"invitation":\#(invitation)}"#),
            answer: #"{"data":{"groupId":"9a","memberIdentity":"k","memberAccount":"aa"}}"#
        ) { admin, _ in try await admin.joinGroup(JoinGroupRequest(invitation: sampleInvitation())) }
        AdminCall(
            "joinGroup before rc.21", "POST /groups/join",
            body: .json(#"{"invitation":\#(invitation),"groupName":"g"}"#),
            answer: #"{"data":{"groupId":"9a","memberIdentity":"k"}}"#,
            result: .json(#"{"groupId":"9a","memberIdentity":"k","memberAccount":""}"#)
        ) { admin, _ in
            try await admin.joinGroup(JoinGroupRequest(invitation: sampleInvitation(), groupName: "g"))
        }
        AdminCall(
            "joinSubgroupInheritance", "POST /groups/$group/join-via-inheritance", body: .json("{}"),
            answer: #"{"data":{"groupId":"9a","memberPublicKey":"k","wasInherited":true}}"#
        ) { admin, ids in try await admin.joinSubgroupInheritance(ids.group) }
        AdminCall(
            "syncGroup", "POST /groups/$group/sync", body: .json("{}"),
            answer: #"""
                {"data":{"groupId":"9a","appKey":"e3","targetApplicationId":"3f","memberCount":2,"contextCount":1}}
                """#
        ) { admin, ids in try await admin.syncGroup(ids.group) }
    }

    static func groupInfo(capabilities: String) -> String {
        #"""
        {"data":{"groupId":"9a","appKey":"e3","targetApplicationId":"3f","memberCount":2,"contextCount":1,
        "defaultCapabilities":\#(capabilities),"subgroupVisibility":"restricted"}}
        """#
    }

    @AdminCalls static var members: [AdminCall] {
        AdminCall(
            "listGroupMembers", "GET /groups/$group/members",
            answer: #"""
                {"members":[{"identity":"aa","role":"Admin","name":"n"},{"identity":"bb","role":"RelayTee"},
                {"identity":"cc","role":"Conductor"}]}
                """#,
            result: .whole
        ) { admin, ids in try await admin.listGroupMembers(ids.group) }
        AdminCall(
            "listGroupMembers by page", "GET /groups/$group/members?offset=3&limit=1000",
            answer: #"{"members":[],"selfIdentity":"aa"}"#, result: .whole
        ) { admin, ids in try await admin.listGroupMembers(ids.group, offset: 3, limit: 1000) }
        AdminCall(
            "listMemberDevices", "GET /groups/$group/member-devices",
            answer: #"{"members":[{"account":"aa","devices":[{"deviceId":"d0","signingKey":"k"}]}]}"#,
            result: .json(#"[{"account":"aa","devices":[{"deviceId":"d0","signingKey":"k"}]}]"#)
        ) { admin, ids in try await admin.listMemberDevices(ids.group) }
        AdminCall(
            "listMemberDevices from the second on", "GET /groups/$group/member-devices?offset=1",
            answer: #"{"members":[]}"#, result: .json("[]")
        ) { admin, ids in try await admin.listMemberDevices(ids.group, offset: 1) }
        AdminCall(
            "listGroupMemberDevices", "GET /groups/$group/member-devices?offset=1&limit=2",
            answer: #"{"members":[]}"#, result: .json("[]")
        ) { admin, ids in try await admin.listGroupMemberDevices(ids.group, offset: 1, limit: 2) }
        AdminCall(
            "addGroupMembers", "POST /groups/$group/members",
            body: .json(#"{"members":[{"identity":"$account","role":"Member"}]}"#),
            void: { admin, ids in
                try await admin.addGroupMembers(
                    ids.group,
                    request: AddGroupMembersRequest(
                        members: [GroupMemberInput(identity: ids.account, role: "Member")]))
            })
        AdminCall(
            "removeGroupMembers", "POST /groups/$group/members/remove", body: .json(#"{"members":["$account"]}"#),
            void: { admin, ids in
                try await admin.removeGroupMembers(
                    ids.group, request: RemoveGroupMembersRequest(members: [ids.account]))
            })
        AdminCall(
            "updateMemberRole", "PUT /groups/$group/members/$account/role", body: .json(#"{"role":"ReadOnly"}"#),
            void: { admin, ids in
                try await admin.updateMemberRole(
                    ids.group, identity: ids.account, request: UpdateMemberRoleRequest(role: "ReadOnly"))
            })
        AdminCall(
            "setMemberAutoFollow", "PUT /groups/$group/members/$account/auto-follow",
            body: .json(#"{"autoFollowContexts":true,"autoFollowSubgroups":false}"#),
            void: { admin, ids in
                try await admin.setMemberAutoFollow(
                    ids.group, identity: ids.account,
                    request: ["autoFollowContexts": true, "autoFollowSubgroups": false])
            })
    }

    private static let record = #"{"name":"n","data":{"k":"v"},"updatedAt":1790000000000,"updatedBy":"k"}"#

    @AdminCalls static var settings: [AdminCall] {
        AdminCall(
            "getMemberCapabilities", "GET /groups/$group/members/$account/capabilities",
            answer: #"{"data":{"capabilities":4294967295}}"#
        ) { admin, ids in try await admin.getMemberCapabilities(ids.group, identity: ids.account) }
        AdminCall(
            "setMemberCapabilities", "PUT /groups/$group/members/$account/capabilities",
            body: .json(#"{"capabilities":515}"#),
            void: { admin, ids in
                try await admin.setMemberCapabilities(
                    ids.group, identity: ids.account, request: SetMemberCapabilitiesRequest(capabilities: 515))
            })
        AdminCall(
            "setDefaultCapabilities", "PUT /groups/$group/settings/default-capabilities",
            body: .json(#"{"defaultCapabilities":231}"#),
            void: { admin, ids in
                try await admin.setDefaultCapabilities(
                    ids.group, request: SetDefaultCapabilitiesRequest(defaultCapabilities: 231))
            })
        AdminCall(
            "setSubgroupVisibility", "PUT /groups/$group/settings/subgroup-visibility",
            body: .json(#"{"subgroupVisibility":"open"}"#),
            void: { admin, ids in
                try await admin.setSubgroupVisibility(
                    ids.group, request: SetSubgroupVisibilityRequest(subgroupVisibility: "open"))
            })
        AdminCall(
            "setGroupMetadata", "PUT /groups/$group/metadata", body: .json(#"{"name":"n","data":{"k":"v"}}"#),
            void: { admin, ids in
                try await admin.setGroupMetadata(
                    ids.group, request: SetGroupMetadataRequest(name: "n", data: ["k": "v"]))
            })
        AdminCall("getGroupMetadata", "GET /groups/$group/metadata", answer: #"{"data":\#(record)}"#) { admin, ids in
            try await admin.getGroupMetadata(ids.group)
        }
        AdminCall("getGroupMetadata of none", "GET /groups/$group/metadata", answer: #"{"data":null}"#) { admin, ids in
            try await admin.getGroupMetadata(ids.group)
        }
        AdminCall(
            "setMemberMetadata", "PUT /groups/$group/members/$account/metadata", body: .json(#"{"name":"n"}"#),
            void: { admin, ids in
                try await admin.setMemberMetadata(
                    ids.group, identity: ids.account, request: SetMemberMetadataRequest(name: "n"))
            })
        AdminCall(
            "getMemberMetadata", "GET /groups/$group/members/$account/metadata", answer: #"{"data":\#(record)}"#
        ) { admin, ids in try await admin.getMemberMetadata(ids.group, identity: ids.account) }
        AdminCall(
            "getMemberMetadata without a body", "GET /groups/$group/members/$account/metadata", answer: "",
            result: .json("null")
        ) { admin, ids in try await admin.getMemberMetadata(ids.group, identity: ids.account) }
        AdminCall(
            "setContextMetadata", "PUT /groups/$group/contexts/$context/metadata", body: .json(#"{"data":{}}"#),
            void: { admin, ids in
                try await admin.setContextMetadata(
                    ids.group, contextId: ids.context, request: SetContextMetadataRequest(data: [:]))
            })
        AdminCall(
            "getContextMetadata", "GET /groups/$group/contexts/$context/metadata", answer: #"{"data":\#(record)}"#
        ) { admin, ids in try await admin.getContextMetadata(ids.group, contextId: ids.context) }
        AdminCall(
            "getContextMetadata that is null", "GET /groups/$group/contexts/$context/metadata", answer: "null",
            result: .json("null")
        ) { admin, ids in try await admin.getContextMetadata(ids.group, contextId: ids.context) }
    }
}
