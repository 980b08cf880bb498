@testable import MeroKit

extension AdminCall {
    @AdminCalls static var account: [AdminCall] {
        AdminCall(
            "listAccountDevices", "GET /account/devices",
            answer: #"""
                {"devices":[{"deviceId":"d0","signingKey":"k","isSelf":true,"revoked":false,"applications":[],
                "namespaces":["9b"],"label":"laptop"}]}
                """#,
            result: .json(
                #"""
                [{"deviceId":"d0","signingKey":"k","isSelf":true,"revoked":false,"applications":[],
                "namespaces":["9b"],"label":"laptop"}]
                """#)
        ) { admin, _ in try await admin.listAccountDevices() }
        AdminCall(
            "listAccountApplications", "GET /account/applications",
            answer: #"{"applications":[{"applicationId":"3f","namespaces":["9b"]}]}"#,
            result: .json(#"[{"applicationId":"3f","namespaces":["9b"]}]"#)
        ) { admin, _ in try await admin.listAccountApplications() }
        AdminCall(
            "accountPairInit", "POST /account/pair-init",
            body: .json(#"{"accountRootPublicKey":"dd","namespaces":[],"accountNamespace":"$namespace"}"#),
            answer: #"""
                {"data":{"accountId":"aa","deviceId":"d0","kemPublicKey":"e","signPublicKey":"k","statement":"s",
                "confirmationCode":"3F1A-09BC-77D2-E04B"}}
                """#
        ) { admin, ids in
            try await admin.accountPairInit(
                AccountPairInitRequest(accountRootPublicKey: "dd", accountNamespace: ids.namespace))
        }
        AdminCall(
            "accountPairComplete", "POST /account/pair-complete",
            body: .json(
                #"""
                {"deviceId":"$device","kemPublicKey":"e","signPublicKey":"k","statement":"s","confirmationCode":"c",
                "applications":["$application"]}
                """#),
            answer: #"""
                {"data":{"accountId":"aa","deviceId":"d0","keyDelivered":false,"confirmationCode":"c",
                "credential":"02"}}
                """#
        ) { admin, ids in
            try await admin.accountPairComplete(
                AccountPairCompleteRequest(
                    deviceId: ids.device, kemPublicKey: "e", signPublicKey: "k", statement: "s",
                    confirmationCode: "c", applications: [ids.application]))
        }
        AdminCall(
            "relinkDevice", "POST /account/devices/$device/relink", body: .json(#"{"applications":[]}"#),
            answer: #"""
                {"data":{"accountId":"aa","deviceId":"d0","applications":[],
                "linkedIn":[{"namespaceId":"9b","keyDelivered":true}],
                "skipped":[{"namespaceId":"9c","reason":"outOfScope"}]}}
                """#
        ) { admin, ids in try await admin.relinkDevice(ids.device) }
        AdminCall(
            "rescopeDevice", "PUT /account/devices/$device/scope",
            body: .json(#"{"scope":{"only":["$application"]}}"#),
            answer: #"""
                {"data":{"accountId":"aa","deviceId":"d0","applications":["3f"],
                "descoped":[{"namespaceId":"9b","keyRotated":false}],"linkedIn":[],"skipped":[]}}
                """#
        ) { admin, ids in
            try await admin.rescopeDevice(ids.device, request: RescopeDeviceRequest(scope: .only([ids.application])))
        }
        AdminCall(
            "rescopeDevice to all", "PUT /account/devices/$device/scope", body: .json(#"{"scope":"all"}"#),
            answer: #"""
                {"data":{"accountId":"aa","deviceId":"d0","applications":[],"descoped":[],"linkedIn":[],"skipped":[]}}
                """#
        ) { admin, ids in try await admin.rescopeDevice(ids.device, request: RescopeDeviceRequest(scope: .all)) }
        AdminCall(
            "labelDevice", "PUT /account/devices/$device/label", body: .json(#"{"label":"laptop"}"#),
            answer: #"{"data":{"accountId":"aa","deviceId":"d0","label":"laptop","labelEpoch":4294967295}}"#
        ) { admin, ids in try await admin.labelDevice(ids.device, request: LabelDeviceRequest(label: "laptop")) }
        AdminCall(
            "signWithAccountRoot", "POST /account/sign-with-root",
            body: .json(#"{"domain":"mdma.account-login","payload":"6368616c6c656e6765"}"#),
            answer: #"{"data":{"rootPublicKey":"dd","signature":"c2ln","accountId":"aa"}}"#
        ) { admin, _ in
            try await admin.signWithAccountRoot(
                AccountSignWithRootRequest(domain: AccountSignWithRootRequest.loginDomain, text: "challenge"))
        }
        AdminCall(
            "sealToAccount", "POST /groups/$group/accounts/$account/seal", body: .json(#"{"plaintext":"00ff"}"#),
            answer: #"""
                {"data":{"accountRootEpoch":4294967295,"ephemeralPublicKey":"e","nonce":"n","ciphertext":"c"}}
                """#
        ) { admin, ids in
            try await admin.sealToAccount(
                ids.group, account: ids.account, request: SealToAccountRequest(plaintext: "00ff"))
        }
        AdminCall(
            "revokeDevice", "POST /namespaces/$namespace/account/revoke", body: .json(#"{"deviceId":"$device"}"#),
            answer: #"""
                {"data":{"accountId":"aa","deviceId":"d0","keyRotated":true,
                "revokedIn":[{"namespaceId":"9b","keyRotated":true}]}}
                """#
        ) { admin, ids in
            try await admin.revokeDevice(ids.namespace, request: RevokeDeviceRequest(deviceId: ids.device))
        }
        AdminCall(
            "revokeDevice with a proof", "POST /namespaces/$namespace/account/revoke",
            body: .json(#"{"deviceId":"$device","proof":"02"}"#),
            answer: #"{"data":{"accountId":"aa","deviceId":"d0","keyRotated":false,"revokedIn":[]}}"#
        ) { admin, ids in
            try await admin.revokeDevice(
                ids.namespace, request: RevokeDeviceRequest(deviceId: ids.device, proof: "02"))
        }
        AdminCall(
            "linkAccountDevice", "POST /namespaces/$namespace/account/link-device",
            body: .json(#"{"credential":"02","scope":"03"}"#),
            answer: #"{"data":{"accountId":"aa","deviceId":"d0","alreadyBound":true}}"#
        ) { admin, ids in
            try await admin.linkAccountDevice(
                ids.namespace, request: LinkAccountDeviceRequest(credential: "02", scope: "03"))
        }
    }
}
