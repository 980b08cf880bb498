import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A private nginx on a free loopback port, with a folder of its own that goes away with it.
final class Nginx {
    let url: URL
    let version: String
    /// What `/files/` serves and takes by PUT.
    let files: URL
    private let folder: URL
    private let process: Process

    init() throws {
        guard let executable = ChildProcess.find("nginx") else {
            throw BenchError("nginx is not installed; scripts/setup --for-tests installs it")
        }
        let flags = String(decoding: try ChildProcess.run(executable, ["-V"]).standardError, as: UTF8.self)
        guard flags.contains("http_dav_module") else {
            throw BenchError("this nginx has no http_dav_module, which takes the uploads")
        }
        version =
            flags.split(separator: "\n").first.map(String.init)?
            .replacingOccurrences(of: "nginx version: nginx/", with: "") ?? "unknown"
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("merokit-bench-\(UUID().uuidString)")
        files = folder.appendingPathComponent("root/files")
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)

        // Another program can take the free port before nginx does.
        var running: (Process, UInt16)?
        for _ in 0..<5 where running == nil {
            let port = try Self.freePort()
            running = try Self.start(executable, in: folder, port: port).map { ($0, port) }
        }
        guard let (process, port) = running else {
            let log = (try? String(contentsOf: folder.appendingPathComponent("error.log"), encoding: .utf8)) ?? ""
            try? FileManager.default.removeItem(at: folder)
            throw BenchError("nginx does not start: \(log)")
        }
        self.process = process
        url = URL(string: "http://127.0.0.1:\(port)") ?? URL(fileURLWithPath: "/")
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Child processes have process groups of their own: an interrupt from the terminal does not reach them.
    func stopOnInterruption() -> [any DispatchSourceSignal] {
        let identifier = process.processIdentifier
        let path = folder.path
        return [SIGINT, SIGTERM, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                kill(identifier, SIGTERM)
                try? FileManager.default.removeItem(atPath: path)
                exit(128 + number)
            }
            source.resume()
            return source
        }
    }

    private static func start(_ executable: URL, in folder: URL, port: UInt16) throws -> Process? {
        let configuration = folder.appendingPathComponent("nginx.conf")
        try Data(text(port: port).utf8).write(to: configuration)
        let process = Process()
        process.executableURL = executable
        process.arguments = ["-p", folder.path + "/", "-c", configuration.path, "-e", "error.log"]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        for _ in 0..<200 {
            if !process.isRunning { return nil }
            if answers(port) { return process }
            usleep(10_000)
        }
        process.terminate()
        return nil
    }

    /// One process and no master: one core serves, the other is the contender's.
    private static func text(port: UInt16) -> String {
        """
        daemon off;
        master_process off;
        pid nginx.pid;
        error_log error.log warn;
        events { worker_connections 1024; }
        http {
            access_log off;
            sendfile on;
            tcp_nodelay on;
            keepalive_timeout 300;
            keepalive_requests 1000000000;
            client_max_body_size 0;
            client_body_buffer_size 1m;
            client_body_temp_path body;
            proxy_temp_path proxy;
            fastcgi_temp_path fastcgi;
            uwsgi_temp_path uwsgi;
            scgi_temp_path scgi;
            server {
                listen 127.0.0.1:\(port) backlog=512;
                location = /jsonrpc {
                    default_type application/json;
                    return 200 '\(SampleCall.answer)';
                }
                location /files/ {
                    root root;
                    default_type application/octet-stream;
                    dav_methods PUT DELETE;
                }
            }
        }

        """
    }

    private static func freePort() throws -> UInt16 {
        try withLoopbackSocket(port: 0) { descriptor, address in
            var address = address
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let bound = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
                }
            }
            guard bound else { throw BenchError("no free loopback port") }
            return UInt16(bigEndian: address.sin_port)
        }
    }

    private static func answers(_ port: UInt16) -> Bool {
        let connected = try? withLoopbackSocket(port: port) { descriptor, address in
            var address = address
            return withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
        }
        return connected ?? false
    }

    private static func withLoopbackSocket<Value>(
        port: UInt16, _ body: (Int32, sockaddr_in) throws -> Value
    ) throws -> Value {
        #if canImport(Glibc)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw BenchError("no socket") }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        address.sin_port = port.bigEndian
        return try body(descriptor, address)
    }
}
