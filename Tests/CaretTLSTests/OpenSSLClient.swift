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
        /// The ticket of an earlier session, to resume that session.
        var ticket: Ticket?
    }

    /// What a client needs to resume a session.
    final class Ticket {
        private let session: OpaquePointer

        fileprivate init(_ session: OpaquePointer) { self.session = session }

        deinit { SSL_SESSION_free(session) }

        fileprivate func copy() -> OpaquePointer? {
            defer { extendLifetime(self) }
            return SSL_SESSION_dup(session)
        }
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
        if let ticket = settings.ticket { resume(ticket) }
    }

    deinit { SSL_free(session) }

    /// The suite that both ends agreed on.
    var suite: String { String(cString: SSL_CIPHER_get_name(SSL_get_current_cipher(session))) }

    /// Whether the session was resumed with a ticket.
    var isResumed: Bool {
        // A test may read this property of a client that it does not keep.
        defer { extendLifetime(self) }
        return SSL_session_reused(session) == 1
    }

    /// The newest ticket that has arrived; nil if there is none.
    func takeTicket() -> Ticket? {
        defer { extendLifetime(self) }
        // With TLS 1.3, tickets arrive after the handshake, and reading handles them.
        var byte: UInt8 = 0
        SSL_read(session, &byte, 1)
        guard let current = SSL_get_session(session), SSL_SESSION_has_ticket(current) == 1 else { return nil }
        return SSL_SESSION_dup(current).map { Ticket($0) }
    }

    /// Uses a copy, because a connection that ends without close_notify makes its own session unusable.
    private func resume(_ ticket: Ticket) {
        guard let copy = ticket.copy() else { return }
        SSL_set_session(session, copy)
        SSL_SESSION_free(copy)
    }

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
