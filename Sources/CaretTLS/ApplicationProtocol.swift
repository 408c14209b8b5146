/// What client and server speak inside TLS, as ALPN names it. A server accepts all of these
/// protocols: see `caret_tls_protocols`.
package enum ApplicationProtocol: String, CaseIterable, Sendable {
    case http = "http/1.1"
    case lines = "caret/1"

    /// The form that ALPN sends: the name with its length before it.
    var bytes: [UInt8] { [UInt8(rawValue.utf8.count)] + Array(rawValue.utf8) }
}
