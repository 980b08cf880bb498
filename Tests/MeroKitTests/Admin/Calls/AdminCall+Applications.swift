import Foundation

@testable import MeroKit

extension AdminCall {
    private static let application =
        #"""
        {"id":"3f","blob":{"bytecode":"a1","compiled":"00"},"size":51234,"source":"https://x","metadata":[0,255],
        "signer_id":"did:key:z6","package":"p","version":"1.2.0"}
        """#

    @AdminCalls static var applications: [AdminCall] {
        AdminCall(
            "installApplication", "POST /install-application",
            body: .json(#"{"package":"$package","version":"1.2.0"}"#), answer: #"{"data":{"applicationId":"3f"}}"#
        ) { admin, ids in
            try await admin.installApplication(InstallApplicationRequest(package: ids.package, version: "1.2.0"))
        }
        AdminCall(
            "installFromRegistry", "POST /install-application",
            body: .json(#"{"package":"$package","version":"1.2.0"}"#), answer: #"{"data":{"applicationId":"3f"}}"#
        ) { admin, ids in try await admin.installFromRegistry(packageName: ids.package, version: "1.2.0") }
        AdminCall(
            "installDevApplication", "POST /install-dev-application", body: .json(#"{"path":"/a/b.mpk"}"#),
            answer: #"{"data":{"applicationId":"3f"}}"#
        ) { admin, _ in try await admin.installDevApplication(InstallDevApplicationRequest(path: "/a/b.mpk")) }
        AdminCall(
            "uninstallApplication", "DELETE /applications/$application", answer: #"{"data":{"applicationId":"3f"}}"#
        ) { admin, ids in try await admin.uninstallApplication(ids.application) }
        AdminCall("listApplications", "GET /applications", answer: #"{"data":{"apps":[\#(application)]}}"#) {
            admin, _ in
            try await admin.listApplications()
        }
        AdminCall(
            "listApplications without what may be absent", "GET /applications",
            answer: #"""
                {"data":{"apps":[{"id":"3f","blob":{"bytecode":"a1","compiled":"00"},"size":1,"source":"s",
                "metadata":[],"services":{"chat":{"bytecode":"b2","compiled":"00"}}}]}}
                """#,
            result: .json(
                #"""
                {"apps":[{"id":"3f","blob":{"bytecode":"a1","compiled":"00"},"size":1,"source":"s","metadata":[],
                "signer_id":"","package":"","version":""}]}
                """#)
        ) { admin, _ in try await admin.listApplications() }
        AdminCall(
            "getApplication", "GET /applications/$application", answer: #"{"data":{"application":\#(application)}}"#
        ) { admin, ids in try await admin.getApplication(ids.application) }
        AdminCall(
            "getApplication on an old node", "GET /applications/$application",
            answer: #"{"data":{"application":null}}"#, result: .json("{}")
        ) { admin, ids in try await admin.getApplication(ids.application) }
        AdminCall(
            "listApplicationVersions", "GET /applications/$application/versions",
            answer: #"{"data":[{"version":"1","blobId":"b","size":7,"package":"p"}]}"#
        ) { admin, ids in try await admin.listApplicationVersions(ids.application) }
        AdminCall(
            "getApplicationAbi", "GET /applications/$application/abi", answer: #"{"data":{"methods":[{"name":"m"}]}}"#
        ) { admin, ids in try await admin.getApplicationAbi(ids.application) }
        AdminCall(
            "getApplicationAbi of a service", "GET /applications/$application/abi?service_name=a%20b%2F%C3%A9",
            answer: #"{"data":{"methods":[]}}"#
        ) { admin, ids in try await admin.getApplicationAbi(ids.application, serviceName: "a b/é") }
        AdminCall("listPackages", "GET /packages", answer: #"{"packages":["p"]}"#, result: .whole) { admin, _ in
            try await admin.listPackages()
        }
        AdminCall("listPackages enveloped", "GET /packages", answer: #"{"data":{"packages":["p"]}}"#) { admin, _ in
            try await admin.listPackages()
        }
        AdminCall(
            "listPackageVersions", "GET /packages/$package/versions", answer: #"{"versions":["1"]}"#, result: .whole
        ) { admin, ids in try await admin.listPackageVersions(ids.package) }
        AdminCall(
            "listPackageVersions enveloped", "GET /packages/$package/versions", answer: #"{"data":{"versions":["1"]}}"#
        ) { admin, ids in try await admin.listPackageVersions(ids.package) }
        AdminCall(
            "getLatestPackageVersion", "GET /packages/$package/latest",
            answer: #"{"applicationId":"3f","version":"1.2.0"}"#, result: .whole
        ) { admin, ids in try await admin.getLatestPackageVersion(ids.package) }
        AdminCall(
            "getLatestPackageVersion of nothing", "GET /packages/$package/latest",
            answer: #"{"applicationId":null,"version":null}"#, result: .json("{}")
        ) { admin, ids in try await admin.getLatestPackageVersion(ids.package) }
    }

    @AdminCalls static var blobs: [AdminCall] {
        AdminCall(
            "uploadBlob", "PUT /blobs", body: .bytes("hello blob\n"), answer: #"{"data":{"blob_id":"d3","size":11}}"#,
            result: .json(#"{"blobId":"d3","size":11}"#)
        ) { admin, _ in try await admin.uploadBlob(UploadBlobRequest(data: Data("hello blob\n".utf8))) }
        AdminCall(
            "uploadBlob for a context", "PUT /blobs?hash=a0%2B&context_id=$context", body: .bytes("x"),
            answer: #"{"data":{"blob_id":"d3","size":1}}"#, result: .json(#"{"blobId":"d3","size":1}"#)
        ) { admin, ids in
            try await admin.uploadBlob(
                UploadBlobRequest(data: Data("x".utf8), hash: "a0+", contextId: ids.context))
        }
        AdminCall(
            "listBlobs", "GET /blobs", answer: #"{"data":{"blobs":[{"blob_id":"d3","size":11}]}}"#,
            result: .json(#"{"blobs":[{"blobId":"d3","size":11}]}"#)
        ) { admin, _ in try await admin.listBlobs() }
        AdminCall("getBlob", "GET /blobs/$blob", answer: "bytes", result: .json(#""bytes""#)) { admin, ids in
            String(decoding: try await admin.getBlob(ids.blob), as: UTF8.self)
        }
        AdminCall(
            "getBlob of a context", "GET /blobs/$blob?context_id=$context", answer: "", result: .json(#""""#),
            timeout: 60
        ) { admin, ids in String(decoding: try await admin.getBlob(ids.blob, contextId: ids.context), as: UTF8.self) }
        AdminCall(
            "getBlobInfo", "HEAD /blobs/$blob", answer: "",
            answerHeaders: [
                "x-blob-id": "d3", "content-length": "11", "x-blob-hash": "a0", "x-blob-mime-type": "text/plain",
                "x-blob-source": "local",
            ],
            result: .json(#"{"blobId":"d3","size":11,"hash":"a0","mimeType":"text/plain","source":"local"}"#)
        ) { admin, ids in try await admin.getBlobInfo(ids.blob) }
        AdminCall(
            "getBlobInfo of a peer", "HEAD /blobs/$blob?context_id=$context", answer: "",
            answerHeaders: ["x-blob-id": "d3", "x-blob-source": "peer"],
            result: .json(#"{"blobId":"d3","source":"peer"}"#), timeout: 60
        ) { admin, ids in try await admin.getBlobInfo(ids.blob, contextId: ids.context) }
        AdminCall(
            "deleteBlob", "DELETE /blobs/$blob", answer: #"{"blob_id":"d3","deleted":true}"#,
            result: .json(#"{"blobId":"d3","deleted":true}"#)
        ) { admin, ids in try await admin.deleteBlob(ids.blob) }
    }

    @AdminCalls static var aliases: [AdminCall] {
        AdminCall(
            "createContextAlias", "POST /alias/create/context",
            body: .json(#"{"alias":"$alias","contextId":"$context"}"#), answer: #"{"data":null}"#, result: .nothing
        ) { admin, ids in
            _ = try await admin.createContextAlias(
                CreateContextAliasRequest(alias: ids.alias, contextId: ids.context))
            return JSONValue.null
        }
        AdminCall(
            "createApplicationAlias", "POST /alias/create/application",
            body: .json(#"{"alias":"$alias","applicationId":"$application"}"#), answer: #"{"data":null}"#,
            result: .nothing
        ) { admin, ids in
            _ = try await admin.createApplicationAlias(
                CreateApplicationAliasRequest(alias: ids.alias, applicationId: ids.application))
            return JSONValue.null
        }
        AdminCall(
            "createDeviceAlias", "POST /alias/create/device",
            body: .json(#"{"alias":"$alias","deviceId":"$device"}"#), answer: #"{"data":null}"#, result: .nothing
        ) { admin, ids in
            _ = try await admin.createDeviceAlias(CreateDeviceAliasRequest(alias: ids.alias, deviceId: ids.device))
            return JSONValue.null
        }
        AdminCall(
            "lookupContextAlias", "POST /alias/lookup/context/$alias", body: .json("{}"),
            answer: #"{"data":{"value":"c0"}}"#
        ) { admin, ids in try await admin.lookupContextAlias(ids.alias) }
        AdminCall(
            "lookupApplicationAlias", "POST /alias/lookup/application/$alias", body: .json("{}"),
            answer: #"{"data":{"value":null}}"#, result: .json("{}")
        ) { admin, ids in try await admin.lookupApplicationAlias(ids.alias) }
        AdminCall(
            "lookupDeviceAlias", "POST /alias/lookup/device/$alias", body: .json("{}"),
            answer: #"{"data":{"value":"d0"}}"#
        ) { admin, ids in try await admin.lookupDeviceAlias(ids.alias) }
        AdminCall(
            "deleteContextAlias", "POST /alias/delete/context/$alias", answer: #"{"data":null}"#,
            void: { admin, ids in _ = try await admin.deleteContextAlias(ids.alias) })
        AdminCall(
            "deleteApplicationAlias", "POST /alias/delete/application/$alias", answer: #"{"data":null}"#,
            void: { admin, ids in _ = try await admin.deleteApplicationAlias(ids.alias) })
        AdminCall(
            "deleteDeviceAlias", "POST /alias/delete/device/$alias", answer: #"{"data":null}"#,
            void: { admin, ids in _ = try await admin.deleteDeviceAlias(ids.alias) })
        AdminCall(
            "listContextAliases", "GET /alias/list/context", answer: #"{"data":{"main":"c0","work":"c1"}}"#
        ) { admin, _ in try await admin.listContextAliases() }
        AdminCall("listApplicationAliases", "GET /alias/list/application", answer: #"{"data":{}}"#) { admin, _ in
            try await admin.listApplicationAliases()
        }
        AdminCall("listDeviceAliases", "GET /alias/list/device", answer: #"{"data":{"laptop":"d0"}}"#) { admin, _ in
            try await admin.listDeviceAliases()
        }
    }
}
