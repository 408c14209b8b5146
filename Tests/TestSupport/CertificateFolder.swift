import FoundationEssentials
import Glibc

/// A folder with certificates and private keys that the `openssl` command makes. The folder is removed when
/// the last reference to it is gone.
package final class CertificateFolder: Sendable {
    /// The paths of a certificate and of its key.
    package struct Pair: Sendable {
        package let certificate: String
        package let key: String
    }

    package struct Failure: Error {
        package let command: [String]
        /// Nil if a signal ended it.
        package let status: Int32?
    }

    package let path: String

    package init() throws {
        let base = FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : "/tmp"
        path = base + "/caret-tls-\(UUID().uuidString.prefix(13))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    // A file that cannot be removed stays in a folder for temporary files, and harms no test.
    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Makes a certificate for `names`. Without an issuer, it is signed with its own key.
    package func make(
        _ file: String, for names: String = "DNS:localhost,IP:127.0.0.1", days: Int = 90,
        issuer: Pair? = nil
    ) throws -> Pair {
        let pair = Pair(certificate: path + "/\(file).pem", key: path + "/\(file).key")
        let signature = issuer.map { ["-CA", $0.certificate, "-CAkey", $0.key] } ?? []
        try run(
            ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
                + ["-keyout", pair.key, "-out", pair.certificate, "-days", "\(days)", "-subj", "/CN=\(file)"]
                + ["-addext", "subjectAltName=\(names)"] + signature)
        return pair
    }

    /// Makes a certificate that ended yesterday.
    package func makeEnded(_ file: String) throws -> Pair {
        let valid = try make(file)
        let pair = Pair(certificate: path + "/\(file)-ended.pem", key: valid.key)
        try run([
            "x509", "-in", valid.certificate, "-signkey", valid.key, "-days", "-1", "-out", pair.certificate,
        ])
        return pair
    }

    /// Writes a file that only its owner may read, and returns its path.
    package func write(_ text: String, to file: String, mode: UInt32 = 0o600) throws -> String {
        let path = path + "/" + file
        try Data(text.utf8).write(to: URL(filePath: path))
        chmod(path, mode)
        return path
    }

    package func text(of path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    /// Runs `openssl` with these arguments, without output.
    package func run(_ arguments: [String]) throws {
        let command = ["openssl"] + arguments
        let program = try ChildProgram(command, input: .nothing, output: .nothing, errors: .nothing)
        let status = program.waitForEnd()
        if status != 0 { throw Failure(command: command, status: status) }
    }
}
