import Foundation
import MeroKit

/// A private nginx on loopback: a real server for what the scripted one cannot play, TLS and HTTP/2.
///
/// Every port answers `/json` with `{"ok":true}`, `/upload` with the method after it has read the body, and `/redirect/301?to=URL` (302, 303, 307, 308 likewise) with a redirect
/// to `URL`. `/to/PORT/path` is forwarded to `/path` of that loopback port, WebSockets and streams included.
final class Nginx: Sendable {
    /// Plain HTTP/1.1.
    let http: UInt16
    /// TLS with a certificate for `localhost` and `127.0.0.1`, HTTP/1.1 only.
    let https: UInt16
    /// The same certificate, and HTTP/2.
    let http2: UInt16
    /// A certificate of the same authority, but for another host.
    let wrongName: UInt16
    /// The certificate of the authority behind all of them.
    var authority: URL { files.authority.certificate }

    private struct Files {
        let folder: TemporaryFolder
        let authority: TestAuthority
        let good: TestAuthority.Identity
        let wrong: TestAuthority.Identity
    }

    private let files: Files
    /// nginx lives for as long as this end of its guard's input is open, so it cannot outlive the test process.
    private let guardInput: Pipe

    private static let running = Locked<Result<Nginx, any Error>?>(nil)

    /// The server that all tests of this process share, started by the first that asks.
    static func shared() throws -> Nginx {
        try running.withLock { running in
            if running == nil { running = Result { try Nginx() } }
            return try running?.get() ?? Nginx()
        }
    }

    private init() throws {
        let folder = try TemporaryFolder()
        let authority = try TestAuthority(in: folder.url)
        files = Files(
            folder: folder, authority: authority,
            good: try authority.issue("localhost", for: ["DNS:localhost", "IP:127.0.0.1"]),
            wrong: try authority.issue("elsewhere", for: ["DNS:elsewhere.example"]))
        // A free port may be taken by somebody else before nginx binds it.
        for _ in 0..<5 {
            let ports = try Self.freePorts(4)
            if let input = try Self.start(files, ports) {
                (http, https, http2, wrongName) = (ports[0], ports[1], ports[2], ports[3])
                guardInput = input
                return
            }
        }
        let log = try? String(contentsOf: folder.file("error.log"), encoding: .utf8)
        throw CommandLineTool.Failed(description: "nginx does not start: \(log ?? "no log")")
    }

    /// What the log says of the request whose target is `target`: method, protocol and status, such as `GET HTTP/2.0 200`.
    func logged(_ target: String) -> [String] {
        let log = (try? String(contentsOf: files.folder.file("access.log"), encoding: .utf8)) ?? ""
        return log.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            return words.first.map(String.init) == target ? words.dropFirst().joined(separator: " ") : nil
        }
    }

    // MARK: Starting

    private static func freePorts(_ count: Int) throws -> [UInt16] {
        // All at once, so that they differ.
        let sockets = try (0..<count).map { _ in try LoopbackSocket.bound() }
        defer { for socket in sockets { close(socket) } }
        return try sockets.map(LoopbackSocket.port(of:))
    }

    /// Runs the arguments but the first, a folder, until the standard input ends; then ends them and removes the folder.
    private static let guardScript = """
        folder=$1; shift; exec 3<&0
        "$@" & server=$!
        (cat <&3 >/dev/null; kill $server && rm -rf "$folder") & wait $server
        """

    /// Nil if nginx ended instead of listening. Closing the pipe that is returned ends nginx.
    private static func start(_ files: Files, _ ports: [UInt16]) throws -> Pipe? {
        let folder = files.folder.url
        let configuration = folder.appendingPathComponent("nginx.conf")
        try Data(configurationText(files, ports).utf8).write(to: configuration)
        let process = Process()
        let input = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = [
            "-c", guardScript, "sh", folder.path, try CommandLineTool.find("nginx").path, "-p", folder.path,
            "-c", configuration.path, "-e", folder.appendingPathComponent("error.log").path,
        ]
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try CommandLineTool.launch(process)
        let deadline = Date() + 60
        while process.isRunning && Date() < deadline {
            let reachable = ports.allSatisfy { port in
                guard let socket = try? LoopbackSocket.connected(to: port) else { return false }
                close(socket)
                return true
            }
            if reachable && process.isRunning { return input }
            Thread.sleep(forTimeInterval: 0.01)
        }
        return nil
    }

    private static func configurationText(_ files: Files, _ ports: [UInt16]) -> String {
        func server(_ port: UInt16, _ kind: String, _ identity: TestAuthority.Identity?) -> String {
            let certificate =
                identity.map { "ssl_certificate \($0.certificate.path); ssl_certificate_key \($0.key.path);" } ?? ""
            return """
                server {
                    listen 127.0.0.1:\(port) \(kind);
                    \(certificate)
                    location / { return 404 '{"error":"no such page"}'; }
                    location ~ ^/to/([0-9]+)(/.*)$ {
                        proxy_pass http://127.0.0.1:$1$2$is_args$args;
                        proxy_http_version 1.1;
                        proxy_buffering off;
                        proxy_set_header Host $http_host;
                        proxy_set_header Upgrade $http_upgrade;
                        proxy_set_header Connection $connection_upgrade;
                    }
                    location /json { return 200 '{"ok":true}'; }
                    location /method { client_max_body_size 0; return 200 '$request_method'; }
                    location /upload { client_max_body_size 0; proxy_pass http://127.0.0.1:\(ports[0])/method; }
                    location = /redirect/301 { return 301 $arg_to; }
                    location = /redirect/302 { return 302 $arg_to; }
                    location = /redirect/303 { return 303 $arg_to; }
                    location = /redirect/307 { return 307 $arg_to; }
                    location = /redirect/308 { return 308 $arg_to; }
                }
                """
        }
        let folder = files.folder.url.path
        return """
            daemon off;
            master_process off;
            pid \(folder)/nginx.pid;
            error_log \(folder)/error.log;
            events { worker_connections 512; }
            http {
                map $http_upgrade $connection_upgrade { default upgrade; '' ''; }
                log_format plain '$request_uri $request_method $server_protocol $status';
                access_log \(folder)/access.log plain;
                default_type application/json;
                absolute_redirect off;
                client_body_temp_path \(folder)/body;
                proxy_temp_path \(folder)/proxy;
                fastcgi_temp_path \(folder)/fastcgi;
                uwsgi_temp_path \(folder)/uwsgi;
                scgi_temp_path \(folder)/scgi;
                \(server(ports[0], "", nil))
                \(server(ports[1], "ssl", files.good))
                \(server(ports[2], "ssl http2", files.good))
                \(server(ports[3], "ssl", files.wrong))
            }
            """
    }
}
