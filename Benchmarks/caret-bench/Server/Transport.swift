import CaretTLS

/// How the lines of a client travel to the server.
enum Transport: Sendable {
    case lines
    /// Each line is a message of a WebSocket.
    case webSocket
    /// Lines inside TLS.
    case tls(TLSClientContext)

    var name: String {
        switch self {
        case .lines: "lines"
        case .webSocket: "WebSocket"
        case .tls: "TLS"
        }
    }
}
