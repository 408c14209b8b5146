/// Whether a connection with HTTP is encrypted.
package enum WebSecurity: Sendable {
    case tls
    case plain
    /// The listener requires TLS, but the client does not use it. So each request is refused.
    case missing
}
