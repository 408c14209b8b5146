package import CaretTLS

/// How a listener uses TLS.
package final class ListenerTLS: Sendable {
    package let context: TLSServerContext
    /// Whether clients without TLS are refused.
    package let isRequired: Bool

    package init(_ context: TLSServerContext, isRequired: Bool) {
        self.context = context
        self.isRequired = isRequired
    }
}

/// Why the server closes a connection because of the TLS settings of its listener, or because of ALPN.
enum TLSRefusal {
    /// The client began TLS, but the listener has no certificate.
    case noCertificate
    /// The listener requires TLS, but the client does not use it.
    case required
    /// ALPN agreed on another protocol than the client speaks.
    case otherProtocol
}
