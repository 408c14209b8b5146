import COpenSSL

/// The errors that OpenSSL keeps for this thread.
enum OpenSSLErrors {
    /// Removes the errors of earlier calls. `SSL_get_error` is wrong if any is left.
    static func clear() { ERR_clear_error() }

    /// Removes all errors, and returns the reason of the first one.
    static func takeFirst() -> OpenSSLError {
        let code = ERR_get_error()
        ERR_clear_error()
        return OpenSSLError(code: code)
    }
}

/// An error as OpenSSL reports it.
struct OpenSSLError {
    let code: UInt

    private var number: Int32 { caret_error_reason(code) }

    var reason: String {
        if code == 0 { return "the connection ended too early" }
        guard let text = ERR_reason_error_string(code) else { return "error \(code)" }
        return String(cString: text)
    }

    /// The lowest error number that means an alert from the peer.
    private static let firstAlert: Int32 = 1_000

    /// The fault of a session that ended with this error.
    var fault: TLSFault {
        switch number {
        case SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST,
            SSL_R_PACKET_LENGTH_TOO_LONG:
            .notTLS
        case Self.firstAlert...: .alert(reason: reason)
        default: .failed(reason: reason)
        }
    }
}
