package import CaretConfig
import CaretRooms
import CaretWeb
import CaretWire

// Log fields for where a connection comes from and why it ended.

extension ListenerKind {
    var field: LogField {
        switch self {
        case .address(let address): address.field
        case .adminSocket: .transport(.unix)
        }
    }

    /// The client's address, as administrators see it in the output of `caret who`.
    var name: WireString {
        switch self {
        case .address(let address): WireString(address.description)
        case .adminSocket: "unix"
        }
    }
}

extension SocketAddress {
    /// The address of the peer, as a log field.
    package var field: LogField {
        switch self {
        case .ip4(let number, let port):
            .peer(ListenAddress(family: .ipv4, bytes: number.networkBytes, port: port))
        case .ip6(let upper, let lower, _, let port):
            .peer(
                ListenAddress(family: .ipv6, bytes: upper.networkBytes + lower.networkBytes, port: port))
        case .unix: .transport(.unix)
        }
    }
}

extension FixedWidthInteger {
    fileprivate var networkBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}

extension ConnectionEnd {
    var field: LogField {
        switch self {
        case .refused(let code): .code(code)
        case .sentBye(let reason): .reason(reason.logWord)
        case .left: .reason("left")
        }
    }
}

extension ByeReason {
    fileprivate var logWord: LogWord {
        switch self {
        case .shuttingDown: "shutting_down"
        case .idle: "idle"
        case .tooSlow: "too_slow"
        case .replaced: "replaced"
        case .revoked: "revoked"
        case .tokenEnded: "token_ended"
        }
    }
}

extension ProxySignInFault.Kind {
    var logWord: LogWord {
        switch self {
        case .noUser: "no_user"
        case .severalUsers: "several_users"
        case .badUser: "bad_user"
        case .otherPage: "other_page"
        }
    }
}

extension TLSRefusal {
    var field: LogField {
        switch self {
        case .noCertificate: .reason("no_certificate")
        case .required: .reason("tls_required")
        case .otherProtocol: .reason("other_protocol")
        }
    }
}

extension CloseReason {
    /// The log field if the connection's state gives no reason for the end.
    var field: LogField {
        switch self {
        case .closedByHandler: .reason("ordered")
        case .lost(let fault): .errno(fault.code)
        case .tlsFailed: .reason("tls_failed")
        case .loopStopped: .reason("stopped")
        }
    }
}
