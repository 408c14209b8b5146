import CaretTLS
import TestSupport

/// Starts the servers of `caret-bench web`. Each offers all transports on one port, so that the servers differ
/// only in what their clients do.
struct WebServers {
    private let servers: BenchServers
    /// Keeps the certificate's files until the last server has ended.
    private let folder: CertificateFolder
    private let certificate: CertificateFolder.Pair
    let tls: Transport

    init(_ servers: BenchServers) {
        self.servers = servers
        let folder = mustSucceed { try CertificateFolder() }
        let certificate = mustSucceed { try folder.make("server") }
        tls = .tls(mustSucceed { try TLSClientContext(.file(certificate.certificate)) })
        (self.folder, self.certificate) = (folder, certificate)
    }

    var transports: [Transport] { [.lines, .webSocket, tls] }

    func started() -> ServerProcess {
        servers.caretd(
            data: servers.folder("caretd"),
            options: ["--tls-certificate", certificate.certificate, "--tls-key", certificate.key])
    }

    func measured(_ crowd: Crowd, as name: String) -> MeasuredServer {
        MeasuredServer(name, started(), .caret, crowd)
    }
}
