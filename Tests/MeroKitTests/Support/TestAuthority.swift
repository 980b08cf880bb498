import Foundation

/// A certificate authority made for one test run, which no machine trusts by itself.
struct TestAuthority: Sendable {
    /// A server's certificate and its key, PEM.
    struct Identity: Sendable {
        let certificate: URL
        let key: URL
    }

    /// The authority's own certificate, PEM.
    let certificate: URL
    private let key: URL
    private let folder: URL

    /// - Parameter folder: Where the files are put.
    init(in folder: URL) throws {
        self.folder = folder
        certificate = folder.appendingPathComponent("authority.pem")
        key = folder.appendingPathComponent("authority.key")
        try CommandLineTool.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=MeroKit test authority", "-keyout", key.path, "-out", certificate.path,
            ])
    }

    /// - Parameter names: What the certificate is good for, such as `DNS:localhost` or `IP:127.0.0.1`.
    func issue(_ name: String, for names: [String]) throws -> Identity {
        func file(_ kind: String) -> URL { folder.appendingPathComponent("\(name).\(kind)") }
        let identity = Identity(certificate: file("pem"), key: file("key"))
        try CommandLineTool.run(
            "openssl",
            [
                "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=\(name)",
                "-keyout", identity.key.path, "-out", file("csr").path,
            ])
        let extensions = "subjectAltName=\(names.joined(separator: ","))\nextendedKeyUsage=serverAuth\n"
        try Data(extensions.utf8).write(to: file("ext"))
        try CommandLineTool.run(
            "openssl",
            [
                "x509", "-req", "-in", file("csr").path, "-CA", certificate.path, "-CAkey", key.path,
                "-CAcreateserial", "-days", "2", "-extfile", file("ext").path, "-out", identity.certificate.path,
            ])
        return identity
    }
}
