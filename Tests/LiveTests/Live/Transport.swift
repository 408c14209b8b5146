import CaretTLS
import TestSupport

/// How a client reaches a server: by lines or by a WebSocket, each with or without TLS.
///
/// A test whose clients send messages of the protocol takes its transport as an argument, and works with
/// every transport. Here and in `CloseContract` is what the protocol defines differently for each transport.
/// `TransportListTests` lists the suites without this argument.
enum Transport: CaseIterable {
    case lines, webSocket, secureLines, secureWebSocket

    static let ofLines: [Transport] = [.lines, .secureLines]
    static let webSockets: [Transport] = [.webSocket, .secureWebSocket]
    /// For tests that send requests over HTTP and open no WebSocket.
    static let http = webSockets

    /// The transports of one test: lines and this other one. A full run uses all transports.
    static func lines(and other: Transport) -> [Transport] { Seeds.isFullRun ? allCases : [.lines, other] }

    var usesWebSocket: Bool {
        switch self {
        case .lines, .secureLines: false
        case .webSocket, .secureWebSocket: true
        }
    }

    var usesTLS: Bool {
        switch self {
        case .lines, .webSocket: false
        case .secureLines, .secureWebSocket: true
        }
    }

    /// The protocol that a client offers in its TLS handshake.
    var applicationProtocol: ApplicationProtocol { usesWebSocket ? .http : .lines }

    /// What a client sends before the server can answer. A client for lines without TLS sends nothing.
    func opening(trusting trust: TLSTrust?) throws -> [UInt8] {
        if let trust, usesTLS {
            let session = try TLSClientContext(trust).makeSession(
                to: "localhost", speaking: applicationProtocol)
            _ = session.read(into: UnsafeMutableRawBufferPointer(start: nil, count: 0))
            precondition(!session.output.isEmpty, "the handshake has not begun")
            return Array(session.output)
        }
        return usesWebSocket ? Array(WebSocketClient.upgrade.utf8) : []
    }
}

/// A certificate for a server of a test, which its clients trust.
final class ServerCertificate {
    let pair: CertificateFolder.Pair
    private let folder: CertificateFolder

    init() throws {
        folder = try CertificateFolder()
        pair = try folder.make("server")
    }

    var trust: TLSTrust { .file(pair.certificate) }

    var options: [String: String] { ["--tls-certificate": pair.certificate, "--tls-key": pair.key] }
}

/// How a server closes a WebSocket, as the first table of close codes in docs/protocol/websocket.md says. Other
/// transports end without a reason after the last message.
enum CloseContract {
    static let codes = [
        "shutting_down": 1001, "idle": 4000, "too_slow": 4001, "replaced": 4002, "revoked": 4003,
        "token_ended": 4004,
        "unauthorized": 4401, "hello_timeout": 4408, "line_too_long": 1009, "overloaded": 1013,
        "internal": 1011,
    ]
    /// The code after every other error.
    static let otherError = 1008

    /// The close frame after the last message that the client has received. Nil if the server may not close the
    /// connection after this message.
    static func frame(after message: String?) -> WebSocketFrame? {
        guard
            let word = message?.firstMatch(of: #/^\{"type":"(?:bye|error)",.*?"(?:reason|code)":"([a-z_]+)"/#)
        else { return nil }
        let reason = String(word.1)
        return .close(code: codes[reason] ?? otherError, reason: reason)
    }
}
