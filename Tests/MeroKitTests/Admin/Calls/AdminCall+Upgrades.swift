@testable import MeroKit

extension AdminCall {
    @AdminCalls static var upgrades: [AdminCall] {
        AdminCall(
            "upgradeGroup", "POST /groups/$group/upgrade", body: .json(#"{"targetApplicationId":"$application"}"#),
            answer: #"""
                {"data":{"groupId":"9a","status":"in_progress","localContextsTotal":3,"localContextsSwapped":1,
                "localContextsFailed":0}}
                """#,
            result: .json(#"{"groupId":"9a","status":"in_progress","total":3,"completed":1,"failed":0}"#)
        ) { admin, ids in
            try await admin.upgradeGroup(ids.group, request: UpgradeGroupRequest(targetApplicationId: ids.application))
        }
        AdminCall(
            "upgradeGroup with everything", "POST /groups/$group/upgrade",
            body: .json(#"{"targetApplicationId":"$application","cascade":true,"forceCodeOnly":false}"#),
            answer: #"{"data":{"groupId":"9a","status":"completed","localContextsTotal":null}}"#,
            result: .json(#"{"groupId":"9a","status":"completed"}"#)
        ) { admin, ids in
            try await admin.upgradeGroup(
                ids.group,
                request: UpgradeGroupRequest(
                    targetApplicationId: ids.application, cascade: true, forceCodeOnly: false))
        }
        AdminCall(
            "getGroupUpgradeStatus", "GET /groups/$group/upgrade/status",
            answer: #"""
                {"data":{"fromVersion":"1.0.0","toVersion":"2.0.0","initiatedAt":100,"initiatedBy":"k",
                "status":"in_progress","localContextsTotal":3,"localContextsSwapped":2,"localContextsFailed":1,
                "completedAt":null}}
                """#,
            result: .json(
                #"""
                {"fromVersion":"1.0.0","toVersion":"2.0.0","initiatedAt":100,"initiatedBy":"k","status":"in_progress",
                "total":3,"completed":2,"failed":1}
                """#)
        ) { admin, ids in try await admin.getGroupUpgradeStatus(ids.group) }
        AdminCall(
            "getGroupUpgradeStatus in the old spelling", "GET /groups/$group/upgrade/status",
            answer: #"""
                {"data":{"fromVersion":"1","toVersion":"2","initiatedAt":100,"initiatedBy":"k","status":"completed",
                "total":3,"completed":3,"failed":0,"completedAt":200}}
                """#
        ) { admin, ids in try await admin.getGroupUpgradeStatus(ids.group) }
        AdminCall(
            "getGroupUpgradeStatus of none", "GET /groups/$group/upgrade/status", answer: #"{"data":null}"#
        ) { admin, ids in try await admin.getGroupUpgradeStatus(ids.group) }
        AdminCall(
            "retryGroupUpgrade", "POST /groups/$group/upgrade/retry", body: .json("{}"),
            answer: #"{"data":{"groupId":"9a","status":"in_progress","total":3,"completed":1,"failed":2}}"#
        ) { admin, ids in try await admin.retryGroupUpgrade(ids.group) }
        AdminCall(
            "getMigrationStatus", "GET /groups/$namespace/migration-status",
            answer: #"""
                {"targetVersion":2,"expectedMembers":2,"cohortPinnedAtHlc":"1-0","fleetCompletedAt":1700000200,
                "rollup":{"migrated":1,"inProgress":0,"unknown":1,"failed":0,"total":2,"allMigrated":false,
                "membersPendingSignature":0},"members":[{"peer":"11","account":"aa","report":{"schemaVersion":2,
                "residueAuto":0,"residueIdentity":0,"syncedUpToHlc":7,"reportedAt":1790000000,"authoredRemaining":0,
                "migrationFailed":"no_migration_path"},"state":"in_progress"},{"peer":"22","state":"unknown"}]}
                """#,
            result: .whole
        ) { admin, ids in try await admin.getMigrationStatus(ids.namespace) }
        AdminCall(
            "getMigrationStatus with new words", "GET /groups/$namespace/migration-status",
            answer: #"""
                {"targetVersion":2,"expectedMembers":1,"rollup":{"migrated":0,"inProgress":0,"unknown":1,"total":1,
                "allMigrated":false},"members":[{"peer":"11","report":{"schemaVersion":2,"residueAuto":0,
                "syncedUpToHlc":7,"reportedAt":1,"migrationFailed":"bad_luck"},"state":"sleeping"}]}
                """#,
            result: .json(
                #"""
                {"targetVersion":2,"expectedMembers":1,"rollup":{"migrated":0,"inProgress":0,"unknown":1,"failed":0,
                "total":1,"allMigrated":false,"membersPendingSignature":0},"members":[{"peer":"11","report":
                {"schemaVersion":2,"residueAuto":0,"residueIdentity":0,"syncedUpToHlc":7,"reportedAt":1,
                "authoredRemaining":0},"state":"unknown"}]}
                """#)
        ) { admin, ids in try await admin.getMigrationStatus(ids.namespace) }
        AdminCall(
            "getCascadeStatus", "GET /groups/$namespace/cascade-status",
            answer: #"""
                {"data":[{"groupId":"9a","upgrade":{"fromVersion":"1","toVersion":"2","initiatedAt":1,
                "initiatedBy":"k","status":"completed"},"cascadeHlc":"1-0"}]}
                """#
        ) { admin, ids in try await admin.getCascadeStatus(ids.namespace) }
        AdminCall(
            "abortMigration", "POST /groups/$namespace/migration/abort", body: .json("{}"),
            answer: #"{"namespaceId":"9b","aborted":false}"#, result: .whole
        ) { admin, ids in try await admin.abortMigration(ids.namespace) }
    }

    private static let policy =
        #"""
        {"allowedMrtd":["m"],"allowedRtmr0":[],"allowedRtmr1":["1"],"allowedRtmr2":["2"],"allowedRtmr3":["3"],
        "allowedTcbStatuses":["UpToDate"],"acceptMock":true
        """#
    private static let proof =
        #"""
        {"signerPublicKey":"k","signedPayload":"e30=","signature":"c2ln",
        "founding":{"founderAccountId":"aa","salt":"55"},"credential":"02"}
        """#

    @AdminCalls static var ownerOps: [AdminCall] {
        AdminCall(
            "changeNamespaceAdmin", "POST /namespaces/$namespace/admin", body: .json(#"{"newAdmin":"$account"}"#),
            void: { admin, ids in
                try await admin.changeNamespaceAdmin(
                    ids.namespace, request: ChangeNamespaceAdminRequest(newAdmin: ids.account))
            })
        AdminCall(
            "transferOwnership", "POST /groups/$group/transfer-ownership", body: .json(#"{"newOwner":"$account"}"#),
            void: { admin, ids in
                try await admin.transferOwnership(ids.group, request: TransferOwnershipRequest(newOwner: ids.account))
            })
        AdminCall(
            "transferOwnership with a proof", "POST /groups/$group/transfer-ownership",
            body: .json(#"{"newOwner":"$account","rootProof":"02"}"#),
            void: { admin, ids in
                try await admin.transferOwnership(
                    ids.group, request: TransferOwnershipRequest(newOwner: ids.account, rootProof: "02"))
            })
        AdminCall(
            "ownerDeleteGroup", "POST /groups/$group/owner-delete",
            void: { admin, ids in try await admin.ownerDeleteGroup(ids.group) })
        AdminCall(
            "ownerDeleteGroup with a proof", "POST /groups/$group/owner-delete", body: .json(#"{"rootProof":"02"}"#),
            void: { admin, ids in
                try await admin.ownerDeleteGroup(ids.group, request: OwnerDeleteGroupRequest(rootProof: "02"))
            })
        AdminCall(
            "setTeeAdmissionPolicy", "PUT /groups/$group/settings/tee-admission-policy", body: .json(policy + "}"),
            void: { admin, ids in
                try await admin.setTeeAdmissionPolicy(
                    ids.group,
                    request: .measurement(
                        allowedMrtd: ["m"], allowedRtmr1: ["1"], allowedRtmr2: ["2"], allowedRtmr3: ["3"],
                        allowedTcbStatuses: ["UpToDate"], acceptMock: true))
            })
        AdminCall(
            "setTeeAdmissionPolicy of releases", "PUT /groups/$group/settings/tee-admission-policy",
            body: .json(
                #"""
                {"allowedMrtd":[],"allowedRtmr0":[],"allowedRtmr1":[],"allowedRtmr2":[],"allowedRtmr3":[],
                "allowedTcbStatuses":["UpToDate"],"acceptMock":false,"mode":"relay","rootProof":"02",
                "signedRelease":{"allowedProfiles":["locked-read-only"],"minReleaseVersion":"2.3.72"}}
                """#),
            void: { admin, ids in
                try await admin.setTeeAdmissionPolicy(
                    ids.group,
                    request: .signedRelease(
                        SignedReleaseTeePolicy(allowedProfiles: ["locked-read-only"], minReleaseVersion: "2.3.72"),
                        allowedTcbStatuses: ["UpToDate"], mode: .relay, rootProof: "02"))
            })
        AdminCall(
            "getTeeAdmissionPolicy", "GET /groups/$group/settings/tee-admission-policy",
            answer: policy + #","enabled":true,"mode":"replica","signedRelease":{"allowedProfiles":["p"]}}"#,
            result: .whole
        ) { admin, ids in try await admin.getTeeAdmissionPolicy(ids.group) }
        AdminCall(
            "getTeeAdmissionPolicy enveloped", "GET /groups/$group/settings/tee-admission-policy",
            answer: #"{"data":\#(policy),"mode":"observer"}}"#, result: .json(policy + "}")
        ) { admin, ids in try await admin.getTeeAdmissionPolicy(ids.group) }
        AdminCall(
            "setTeeAuthoringPolicy", "PUT /groups/$group/settings/tee-authoring-policy",
            body: .json(#"{"allowedMrtd":["m"],"rootProof":"02"}"#),
            void: { admin, ids in
                try await admin.setTeeAuthoringPolicy(
                    ids.group, request: SetTeeAuthoringPolicyRequest(allowedMrtd: ["m"], rootProof: "02"))
            })
        AdminCall(
            "disableTeeAuthoringPolicy", "DELETE /groups/$group/settings/tee-authoring-policy", body: .none,
            void: { admin, ids in try await admin.disableTeeAuthoringPolicy(ids.group) })
        AdminCall(
            "disableTeeAuthoringPolicy with a proof", "DELETE /groups/$group/settings/tee-authoring-policy",
            body: .json(#"{"rootProof":"02"}"#),
            void: { admin, ids in
                try await admin.disableTeeAuthoringPolicy(ids.group, request: RootGuardedOpRequest(rootProof: "02"))
            })
        AdminCall(
            "issueOwnershipProof", "POST /groups/$group/issue-ownership-proof",
            body: .json(
                #"""
                {"audience":"a","contextId":"$context","subject":"s","nonce":"00","expiresAtMs":9007199254740992}
                """#),
            answer: #"{"signerPublicKey":"k","signedPayload":"e30=","signature":"c2ln"}"#, result: .whole
        ) { admin, ids in
            try await admin.issueOwnershipProof(
                ids.group,
                request: IssueOwnershipProofRequest(
                    audience: "a", contextId: ids.context, subject: "s", nonce: "00",
                    expiresAtMs: 9_007_199_254_740_992))
        }
        AdminCall(
            "issueOwnershipProof untyped", "POST /groups/$group/issue-ownership-proof", body: .json("{}"),
            answer: "no JSON", result: .json("null")
        ) { admin, ids in
            let answer: JSONValue = try await admin.issueOwnershipProof(ids.group)
            return answer
        }
        AdminCall(
            "issueNamespaceOwnershipProof", "POST /groups/$namespace/issue-namespace-ownership-proof",
            body: .json(#"{"audience":"a","subject":"s","nonce":"00","expiresAtMs":1}"#),
            answer: #"{"data":\#(proof)}"#
        ) { admin, ids in
            try await admin.issueNamespaceOwnershipProof(
                ids.namespace,
                request: IssueNamespaceOwnershipProofRequest(audience: "a", subject: "s", nonce: "00", expiresAtMs: 1))
        }
        AdminCall(
            "issueNamespaceOwnershipProof untyped", "POST /groups/$namespace/issue-namespace-ownership-proof",
            body: .json(#"{"a":[1]}"#), answer: proof, result: .whole
        ) { admin, ids in try await admin.issueNamespaceOwnershipProof(ids.namespace, request: ["a": [1]]) }
    }
}
