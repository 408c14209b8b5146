import TestSupport
import Testing

@Suite("caret over TLS") struct TLSCommandTests {
    @Test("--server carets:// uses TLS, and says why it does not trust a server")
    func secureServer() throws {
        let folder = try CertificateFolder()
        let pair = try folder.make("server")
        let session = try CommandSession([
            "--tls-certificate", pair.certificate, "--tls-key", pair.key, "--tls", "required",
        ])
        let address = "carets://\(session.address)"
        try session.expect(
            """
            $ put a --create --server \(address)?trust=\(pair.certificate) << one⏎
            a: saved as revision 1
            $ cat a --server \(address)?trust=\(pair.certificate)
            one
            $ cat a --server \(address)
            ! caret: \(address): the certificate of 127.0.0.1 was not issued by an authority that this machine trusts; …
            !   check that the server runs, and uses TLS at this port; to trust its certificate, add ?trust=FILE or …
            [3]
            $ cat a --server \(session.address)
            ! caret: \(session.address): the server closed the connection without an answer; if it uses TLS, write carets:// …
            !   …
            [3]
            $ cat a --server \(address),\(address)?trust=\(pair.certificate),127.0.0.1:1
            one
            $ ls --server carets://a?pin=0
            ! caret: ls: --server: found "carets://a?pin=0", expected ?pin= with the 64 hexadecimal digits of …
            !   …
            [2]
            $ ls --server http://127.0.0.1:22738/
            ! caret: ls: --server: found "http://127.0.0.1:22738/", expected HOST:PORT without http://
            !   …
            [2]
            $ ls --server https://caret.example.org
            ! caret: ls: --server: found "https://caret.example.org", expected carets://HOST:PORT instead of https://
            !   …
            [2]
            """)
    }
}
