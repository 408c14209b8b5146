import COpenSSL
import CaretTLS

/// A client with settings that `TLSClientContext` never uses. It trusts every server.
final class OpenSSLClient {
    struct Settings {
        var version = TLS1_3_VERSION
        /// Suites of TLS 1.2 and earlier.
        var suites = "ALL:@SECLEVEL=0"
        /// The protocols to offer in ALPN; none for no ALPN.
        var protocols: [String] = []
    }

    private let session: OpaquePointer
    private let input = BIO_new(BIO_s_mem())
    private let sending = BIO_new(BIO_s_mem())
    private(set) var isOpen = false
    /// OpenSSL's reason why the session ended.
    private(set) var failure: String?

    init(_ settings: Settings = Settings()) {
        let context = SSL_CTX_new(TLS_client_method())
        defer { SSL_CTX_free(context) }
        SSL_CTX_set_cipher_list(context, settings.suites)
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(settings.version), nil)
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(settings.version), nil)
        session = SSL_new(context)
        SSL_set_bio(session, input, sending)
        SSL_set_connect_state(session)
        let list = settings.protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        if !list.isEmpty { SSL_set_alpn_protos(session, list, UInt32(list.count)) }
    }

    deinit { SSL_free(session) }

    /// The suite that both ends agreed on.
    var suite: String { String(cString: SSL_CIPHER_get_name(SSL_get_current_cipher(session))) }

    /// Continues the handshake, until it waits for the server.
    private func shakeHands() {
        if isOpen || failure != nil { return }
        ERR_clear_error()
        let result = SSL_do_handshake(session)
        if result == 1 { isOpen = true }
        if result != 1, SSL_get_error(session, result) == SSL_ERROR_SSL {
            failure = ERR_reason_error_string(ERR_get_error()).map { String(cString: $0) }
        }
    }

    /// Completes the handshake. Returns why the server stopped reading.
    @discardableResult
    func shakeHands(with server: TLSSession) -> TLSSession.ReadingEnd {
        var end = TLSSession.ReadingEnd.needsInput
        for _ in 0..<4 {
            shakeHands()
            end = pass(to: server).end
            receive(server.takeOutput())
        }
        return end
    }

    /// Sends all output to the server, which then reads.
    func pass(to server: TLSSession) -> (bytes: [UInt8], end: TLSSession.ReadingEnd) {
        var bytes = [UInt8](repeating: 0, count: BIO_ctrl_pending(sending))
        if !bytes.isEmpty { BIO_read(sending, &bytes, Int32(bytes.count)) }
        server.receive(bytes)
        return server.readAll()
    }

    func receive(_ bytes: [UInt8]) { BIO_write(input, bytes, Int32(bytes.count)) }

    func send(_ text: String) { SSL_write(session, text, Int32(text.utf8.count)) }

    /// Asks for new keys, in both directions.
    func updateKeys() { SSL_key_update(session, SSL_KEY_UPDATE_REQUESTED) }

    /// Tries to renegotiate, as TLS 1.2 once allowed.
    func renegotiate() {
        SSL_renegotiate(session)
        SSL_do_handshake(session)
    }
}
