import Foundation
import Testing

@testable import MeroKit

/// The names of files in errors are those that the app gave.
@Suite("Names of downloads") struct DownloadNameTests {
    @Test func aMissingFolderIsToldByTheFilesOwnName() async throws {
        let server = try ScriptedServer.answering { _ in "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello" }
        let http = URLSessionHttpClient(baseURL: try #require(URL(string: server.url)))
        let admin = AdminApi(http: http)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("none-\(UUID().uuidString)")
        let file = folder.appendingPathComponent("photo.jpg")
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await http.download(HttpRequest(path: "/x"), to: file) },
            { _ = try await admin.downloadBlob("b1", to: file) },
        ]
        for call in calls {
            guard case MeroError.network(let text)? = await failure(of: call) else {
                Issue.record("it was written")
                continue
            }
            #expect(text == "Cannot create the file photo.jpg: No such file or directory")
        }
        // A folder in the file's place.
        try FileManager.default.createDirectory(
            at: file.appendingPathComponent("inside"), withIntermediateDirectories: true)
        for call in calls {
            guard case MeroError.network(let text)? = await failure(of: call) else {
                Issue.record("a folder was replaced")
                continue
            }
            #expect(text.contains("photo.jpg") && !text.contains(".part") && !text.contains(".blob-"))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["photo.jpg"])
        try FileManager.default.removeItem(at: folder)
        server.stop()
    }
}
