import COpenSSL

/// One side of a TLS connection, without a socket: gets the received bytes, and collects the bytes to send.
/// Confined to its connection's loop.
package final class TLSSession {
    enum Role {
        case server
        /// `pinned` is the SHA-256 of the only trusted certificate.
        case client(host: String, pinned: [UInt8]?)
    }

    private enum Phase {
        case handshake
        case open
        case failed(TLSFault)
    }

    /// Why reading stopped.
    package enum ReadingEnd: Equatable, Sendable {
        /// The buffer is full.
        case full
        case needsInput
        /// The peer has ended its output with close_notify.
        case ended
        case failed(TLSFault)
    }

    /// The maximum number of unencrypted bytes in one TLS record.
    package static let recordBytes = 16 << 10

    /// The most bytes of output that may wait when input is read. One write of a caller adds less. If more
    /// waits, a peer has asked for new keys again and again, and has not read the answers.
    package static let waitingBytes = 192 << 10

    /// A buffer that was larger than this is freed once it is empty, because most connections are idle.
    private static let keptCapacity = 4 << 10

    private let session: OpaquePointer
    private let role: Role
    private var phase = Phase.handshake
    private var hasSentEnd = false
    /// What arrived and is not decrypted yet.
    private var input: OpaquePointer
    /// What must be sent, and how many bytes of it have been sent already.
    private var sending: OpaquePointer
    private var sent = 0
    /// Whether the buffers were replaced since the handshake, which needs larger ones than most messages.
    private var (inputIsReplaced, outputIsReplaced) = (false, false)

    /// Takes ownership of the session.
    init(_ session: OpaquePointer, as role: Role) {
        self.session = session
        self.role = role
        input = Self.makeBuffer()
        sending = Self.makeBuffer()
        SSL_set_bio(session, input, sending)
        switch role {
        case .server: SSL_set_accept_state(session)
        case .client: SSL_set_connect_state(session)
        }
    }

    // This also frees the two buffers.
    deinit { SSL_free(session) }

    private static func makeBuffer() -> OpaquePointer {
        guard let buffer = BIO_new(BIO_s_mem()) else { preconditionFailure("no memory for a TLS buffer") }
        return buffer
    }

    // MARK: State

    /// Whether the handshake is complete. Before that, nothing can be sealed.
    package var isOpen: Bool { if case .open = phase { true } else { false } }

    /// What ALPN agreed on; nil if the peer did not use ALPN.
    package var agreedProtocol: ApplicationProtocol? {
        var start: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(session, &start, &count)
        let name = UnsafeBufferPointer(start: start, count: Int(count))
        return ApplicationProtocol.allCases.first { $0.rawValue.utf8.elementsEqual(name) }
    }

    /// The version of TLS, such as `TLSv1.3`.
    package var version: String { String(cString: SSL_get_version(session)) }

    // MARK: Input

    /// Adds bytes that arrived from the peer.
    package func receive(_ bytes: UnsafeRawBufferPointer) {
        if bytes.isEmpty { return }
        let count = BIO_write(input, bytes.baseAddress, Int32(bytes.count))
        precondition(count == bytes.count, "a TLS buffer accepted \(count) of \(bytes.count) bytes")
    }

    /// Continues the handshake, or decrypts into `buffer`. Returns the number of decrypted bytes, which may
    /// be more than zero even at the end or after a fault.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> (count: Int, end: ReadingEnd) {
        if case .handshake = phase { shakeHands() }
        switch phase {
        case .handshake: return (0, .needsInput)
        case .failed(let fault): return (0, .failed(fault))
        case .open: break
        }
        var filled = 0
        while filled < buffer.count {
            var count = 0
            OpenSSLErrors.clear()
            let result = SSL_read_ex(session, buffer.baseAddress! + filled, buffer.count - filled, &count)
            if result != 1 { return (filled, readingEnd(after: result)) }
            filled += count
        }
        return (filled, .full)
    }

    private var isFlooded: Bool { output.count > Self.waitingBytes }

    private func readingEnd(after result: Int32) -> ReadingEnd {
        switch SSL_get_error(session, result) {
        case SSL_ERROR_WANT_READ where isFlooded: return .failed(fail(.floodedWithRequests))
        case SSL_ERROR_WANT_READ:
            freeInput()
            return .needsInput
        case SSL_ERROR_ZERO_RETURN: return .ended
        default: return .failed(fail(OpenSSLErrors.takeFirst().fault))
        }
    }

    private func shakeHands() {
        OpenSSLErrors.clear()
        let result = SSL_do_handshake(session)
        if result == 1 {
            phase = .open
            checkPinned()
        } else if SSL_get_error(session, result) != SSL_ERROR_WANT_READ {
            let error = OpenSSLErrors.takeFirst()
            _ = fail(certificateFault ?? error.fault)
        }
    }

    private func fail(_ fault: TLSFault) -> TLSFault {
        phase = .failed(fault)
        return fault
    }

    // MARK: Output

    /// Encrypts at most `recordBytes` as one record. The handshake must be complete.
    package func seal(_ bytes: UnsafeRawBufferPointer) throws(TLSFault) {
        precondition(isOpen && bytes.count <= Self.recordBytes, "\(bytes.count) bytes cannot be sealed")
        if bytes.isEmpty { return }
        var count = 0
        OpenSSLErrors.clear()
        let result = SSL_write_ex(session, bytes.baseAddress, bytes.count, &count)
        guard result == 1, count == bytes.count else { throw fail(OpenSSLErrors.takeFirst().fault) }
    }

    /// Calls `seal`, but returns its fault instead of throwing it.
    package func sealing(_ bytes: UnsafeRawBufferPointer) -> TLSFault? {
        do throws(TLSFault) {
            try seal(bytes)
            return nil
        } catch {
            return error
        }
    }

    /// The bytes that must be sent. They are valid until the next call of any method.
    package var output: UnsafeRawBufferPointer {
        var start: UnsafeMutablePointer<CChar>?
        let count = caret_bio_bytes(sending, &start)
        guard let start, count > sent else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(start: start + sent, count: count - sent)
    }

    package func removeOutput(_ count: Int) {
        sent += count
        guard output.isEmpty else { return }
        sent = 0
        if outputIsReplaced, caret_bio_capacity(sending) <= Self.keptCapacity {
            return caret_bio_reset(sending)
        }
        outputIsReplaced = isOpen
        sending = Self.makeBuffer()
        SSL_set0_wbio(session, sending)
    }

    /// Adds close_notify to the output, once.
    package func endOutput() {
        guard isOpen, !hasSentEnd else { return }
        hasSentEnd = true
        SSL_shutdown(session)
        OpenSSLErrors.clear()
    }

    /// Replaces a large empty buffer by a small one.
    private func freeInput() {
        let isSmall = inputIsReplaced && caret_bio_capacity(input) <= Self.keptCapacity
        if isSmall || BIO_ctrl_pending(input) > 0 { return }
        inputIsReplaced = true
        input = Self.makeBuffer()
        SSL_set0_rbio(session, input)
    }
}

// MARK: The server, as its client sees it

extension TLSSession {
    /// Sets the host that the certificate must name.
    func setServer(_ host: String, checksName: Bool, at time: TLSTime?) {
        let parameters = SSL_get0_param(session)
        let isAddress = X509_VERIFY_PARAM_set1_ip_asc(parameters, host) == 1
        OpenSSLErrors.clear()
        if !isAddress {
            caret_tls_set_server_name(session, host)
            if checksName { SSL_set1_host(session, host) }
        }
        if let time { X509_VERIFY_PARAM_set_time(parameters, time_t(time.seconds)) }
    }

    func offer(_ spoken: ApplicationProtocol) {
        SSL_set_alpn_protos(session, spoken.bytes, UInt32(spoken.bytes.count))
    }

    /// The certificate of the peer; nil before the handshake.
    package var peerCertificate: Certificate? {
        SSL_get0_peer_certificate(session).map { Certificate($0) }
    }

    private func checkPinned() {
        guard case .client(let host, let pinned?) = role, peerCertificate?.fingerprint != pinned else {
            return
        }
        _ = fail(.notPinned(host: host, found: peerCertificate?.fingerprintText ?? "missing"))
    }

    /// What is wrong with the server's certificate; nil if it was not refused.
    private var certificateFault: TLSFault? {
        guard case .client(let host, nil) = role else { return nil }
        let result = SSL_get_verify_result(session)
        switch Int32(result) {
        case X509_V_OK: return nil
        case X509_V_ERR_CERT_HAS_EXPIRED: return .serverCertificateEnded(host: host)
        case X509_V_ERR_CERT_NOT_YET_VALID: return .serverCertificateNotYetValid(host: host)
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
            return .wrongHost(host: host)
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
            X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
            return .unknownIssuer(host: host)
        default:
            let reason = String(cString: X509_verify_cert_error_string(result))
            return .serverCertificateRefused(host: host, reason: reason)
        }
    }
}
