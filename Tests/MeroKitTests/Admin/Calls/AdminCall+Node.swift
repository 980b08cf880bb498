@testable import MeroKit

extension AdminCall {
    @AdminCalls static var node: [AdminCall] {
        AdminCall("healthCheck", "GET /health", answer: #"{"data":{"status":"alive"}}"#) { admin, _ in
            try await admin.healthCheck()
        }
        AdminCall("readinessCheck", "GET /ready", answer: #"{"data":{"status":"ready"}}"#) { admin, _ in
            try await admin.readinessCheck()
        }
        AdminCall("isAuthed", "GET /is-authed", answer: #"{"data":{"status":"alive"}}"#, result: .whole) { admin, _ in
            try await admin.isAuthed()
        }
        AdminCall(
            "getNodeIdentity", "GET /identity",
            answer: #"""
                {"data":{"accountId":"aa","deviceId":"bb","publicKey":"cc","accountRootPublicKey":"dd",
                "deviceAgreementKey":"ee","holdsAccountRoot":true,"accountNamespaceId":"ff","deviceCertified":true,
                "revokedFrom":{"accountId":"a1","deviceId":"d1"}}}
                """#
        ) { admin, _ in try await admin.getNodeIdentity() }
        AdminCall(
            "getNodeIdentity of an old node", "GET /identity",
            answer: #"{"data":{"accountId":"aa","deviceId":null,"publicKey":"cc","accountRootPublicKey":"dd"}}"#,
            result: .json(
                #"""
                {"accountId":"aa","publicKey":"cc","accountRootPublicKey":"dd","holdsAccountRoot":false,
                "deviceCertified":false}
                """#)
        ) { admin, _ in try await admin.getNodeIdentity() }
        AdminCall("getPeersCount", "GET /peers", answer: #"{"count":3}"#, result: .whole) { admin, _ in
            try await admin.getPeersCount()
        }
        AdminCall(
            "getNetworkStatus", "GET /network/status", answer: #"{"localPeerId":"12D3","relays":[]}"#, result: .whole
        ) { admin, _ in try await admin.getNetworkStatus() }
        AdminCall("getUsage", "GET /usage", answer: #"{"namespaces":[]}"#, result: .whole) { admin, _ in
            try await admin.getUsage()
        }
    }

    @AdminCalls static var tee: [AdminCall] {
        AdminCall(
            "getTeeInfo", "GET /tee/info", answer: #"{"data":{"cloudProvider":"gcp","osImage":"i","mrtd":"00"}}"#
        ) { admin, _ in try await admin.getTeeInfo() }
        AdminCall(
            "teeAttest", "POST /tee/attest", body: .json(#"{"nonce":"00ff"}"#),
            answer: attestation(extra: "")
        ) { admin, _ in try await admin.teeAttest(TeeAttestRequest(nonce: "00ff")) }
        AdminCall(
            "teeAttest with everything", "POST /tee/attest",
            body: .json(
                #"""
                {"nonce":"00","applicationId":"$application","bindNodeKey":true,"bindTransportKey":true,
                "includeCollateral":true}
                """#),
            answer: attestation(extra: #","boundPublicKey":"k","transportPublicKey":"t","collateral":{"a":[1]}"#)
        ) { admin, ids in
            try await admin.teeAttest(
                TeeAttestRequest(
                    nonce: "00", applicationId: ids.application, bindNodeKey: true, bindTransportKey: true,
                    includeCollateral: true))
        }
        AdminCall(
            "teeRegistrationAttest", "POST /tee/registration-attest", body: .json(#"{"nonce":"00"}"#),
            answer: attestation(extra: "")
        ) { admin, _ in try await admin.teeRegistrationAttest(TeeRegistrationAttestRequest(nonce: "00")) }
    }

    private static func attestation(extra: String) -> String {
        let words = [
            "tdxVersion", "teeTcbSvn", "mrseam", "mrsignerseam", "seamattributes", "tdattributes", "xfam", "mrtd",
            "mrconfigid", "mrowner", "mrownerconfig", "rtmr0", "rtmr1", "rtmr2", "rtmr3", "reportdata", "teeTcbSvn2",
            "mrservicetd",
        ]
        let body = words.map { "\"\($0)\":\"of \($0)\"" }.joined(separator: ",")
        return """
            {"data":{"quoteB64":"AA==","quote":{"header":{"version":4,"attestationKeyType":2,"teeType":129,
            "qeVendorId":"93","userData":"00"},"body":{\(body)},"signature":"s","attestationKey":"a",
            "certificationData":{"type":"pckCertChain","data":"00"}}\(extra)}}
            """
    }
}
