import Foundation
import MeroKit

/// `POST /tee/attest` of a node in a mock environment: the quote carries the report data and no signature.
///
/// Spec: 80, sections 2.1, 2.4 and 3.1.
struct AttestationService: Sendable {
    let nodeKey: Data
    let applications: ApplicationStore
    let groups: GroupRegistry
    let identity: NodeIdentity
    /// What `GET /tee/info` tells; nil where there is no TEE.
    let tee: DevTee?
    let status: NodeStatus
    let admission: GroupAdmission
    let sealed: SealedService
    let bodyLimit: Int

    private static let fields = ["nonce", "applicationId", "bindNodeKey", "bindTransportKey", "includeCollateral"]

    func attest(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let request = try AdminBody.read(call.request, Self.fields, limit: bodyLimit)(Request.init)
            let nonce = try Self.nonce(request.nonce)
            var application = Data(count: 32)
            if let id = request.applicationId {
                guard let target = applications.target(ofApplication: id) else {
                    throw NodeRefusal(404, "Application '\(id)' not found")
                }
                application = Data(Hex.decode(target.bytecodeId) ?? [])
            }
            var suffix = application
            if request.bindsNodeKey {
                suffix = sha256(Data("calimero.tee-attest.key-binding.v1".utf8) + application + nodeKey)
            }
            try checkSupport()
            let transportKey =
                request.bindsTransportKey && sealed.options.isOffered ? Data(sealed.table.publicKey) : nil
            if let transportKey {
                suffix = sha256(Data("calimero.tee-attest.transport-key.v1".utf8) + suffix + transportKey)
            }
            return RelayService.data(
                answer(nonce + suffix, bindsNodeKey: request.bindsNodeKey, transportKey: transportKey))
        }
    }

    /// Throws `NodeRefusal` where no quote can be made.
    func checkSupport() throws {
        switch status.attestation {
        case .mock: return
        case .unsupported:
            throw NodeRefusal(501, "TDX attestation generation is only supported on Linux with TDX hardware")
        case .failing: throw NodeRefusal(500, "Failed to generate the attestation: the quote could not be made")
        }
    }

    private struct Request {
        let nonce: String
        let applicationId: String?
        let bindsNodeKey: Bool
        let bindsTransportKey: Bool

        init(_ fields: JsonFields) throws {
            nonce = try fields.string("nonce")
            applicationId = try fields.optionalString("applicationId")
            func flag(_ name: String) throws -> Bool {
                guard let value = fields.optional(name) else { return false }
                guard let flag = value.boolValue else { throw JsonShapeProblem.type(value, expected: "a boolean") }
                return flag
            }
            bindsNodeKey = try flag("bindNodeKey")
            bindsTransportKey = try flag("bindTransportKey")
            // Mock quotes have none.
            _ = try flag("includeCollateral")
        }
    }

    static func nonce(_ text: String) throws -> Data {
        guard let nonce = Hex.decode(text) else {
            throw NodeRefusal(400, "Field 'nonce' contains invalid hex encoding: not valid hex")
        }
        guard nonce.count == 32 else {
            throw NodeRefusal(400, "Field 'nonce' must be exactly 64 characters (got \(text.count))")
        }
        return Data(nonce)
    }

    func answer(_ reportData: Data, bindsNodeKey: Bool, transportKey: Data? = nil) -> JsonTree {
        var quote = Data("MOCK_TDX_QUOTE_V1".utf8) + reportData
        quote += Data(count: 256 - quote.count)
        var members = [
            JsonMember(name: "quoteB64", value: .string(quote.base64EncodedString())),
            JsonMember(name: "quote", value: Self.rendering(reportData)),
        ]
        if bindsNodeKey { members.append(JsonMember(name: "boundPublicKey", value: .string(Hex.encode(nodeKey)))) }
        if let transportKey {
            members.append(JsonMember(name: "transportPublicKey", value: .string(Hex.encode(transportKey))))
        }
        return .object(members)
    }

    /// For people; no check may rest on it.
    private static func rendering(_ reportData: Data) -> JsonTree {
        func zeros(_ bytes: Int) -> JsonTree { .string(String(repeating: "0", count: 2 * bytes)) }
        let registers = ["mrseam", "mrsignerseam", "mrtd", "mrconfigid", "mrowner", "mrownerconfig"]
        let runtime = ["rtmr0", "rtmr1", "rtmr2", "rtmr3"]
        let body: [(String, JsonTree)] =
            [("tdxVersion", "1.0"), ("teeTcbSvn", zeros(16)), ("seamattributes", zeros(8)), ("tdattributes", zeros(8))]
            + [("xfam", zeros(8))] + (registers + runtime).map { ($0, zeros(48)) }
            + [("reportdata", .string(Hex.encode(reportData)))]
        return [
            "header": [
                "version": 4, "attestationKeyType": 2, "teeType": 129, "qeVendorId": zeros(16), "userData": zeros(20),
            ],
            "body": .object(body.map { JsonMember(name: $0.0, value: $0.1) }), "signature": zeros(64),
            "attestationKey": zeros(64), "certificationData": ["type": "mock", "data": ""],
        ]
    }
}
