import CaretFormat
package import CaretLog

/// Why a call to PostgreSQL failed.
package enum PostgresFault: HistoryFault, Equatable {
    /// The store refused the call. The caller gets this refusal.
    case refused(HistoryRefusal)
    /// A row has something that no server writes.
    case damagedRow(String)
    /// The server refused a statement, and rolled back its transaction.
    case server(ServerError)
    /// There is no connection, with the reason. Nothing was sent.
    case away(String)
    /// The connection was lost, or no answer came in time. A commit may still be under way.
    case lost(String)
    /// A pooler gives connections away between transactions or statements. This is the sign of it.
    case pooled(String)
    /// The server reported that a commit is done here but perhaps not on its standbys.
    case notReplicated(String)

    /// Whether the connection must not be used again. The outcome of a commit on it is then not known.
    ///
    /// `notReplicated` may come from a read, too: a server that stops at once sends a warning before it closes the
    /// connection, and the warning may arrive together with the last answer.
    var endsConnection: Bool {
        switch self {
        case .lost, .notReplicated: true
        case .refused, .damagedRow, .server, .away, .pooled: false
        }
    }
}

/// An error that the server reported.
package struct ServerError: Error, Equatable, Sendable {
    /// The five characters of SQLSTATE.
    package let state: String
    package let message: String

    package init(state: String, message: String) {
        self.state = state
        self.message = message
    }

    /// Somebody else holds a lock that the statement needs.
    var isLocked: Bool { state == "55P03" }

    package enum Kind: Sendable {
        /// The disk of the server is full.
        case full
        /// A page or an index of the server is damaged.
        case damaged
        /// The statement did nothing, and may succeed later: a deadlock, a lock that others hold, a timeout, or a
        /// server that stops.
        case passing
        /// The statement, the schema or the rights are wrong.
        case failed
    }

    package var kind: Kind {
        switch state {
        case "53100", "53200": .full
        case "XX001", "XX002": .damaged
        // Deadlock, serialization failure, lock not available, cancelled, idle in a transaction for too long, the
        // server cannot write because it is a standby, and too many connections.
        case "40P01", "40001", "55P03", "57014", "25P03", "25006", "53300": .passing
        default: state.hasPrefix("57P0") || state.hasPrefix("08") ? .passing : .failed
        }
    }
}

extension PostgresFault {
    package var historyRefusal: HistoryRefusal {
        switch self {
        case .refused(let refusal): refusal
        case .damagedRow: .refused(.damaged)
        case .away, .lost, .pooled, .notReplicated: .refused(.away)
        case .server(let error):
            switch error.kind {
            case .full: .refused(.full)
            case .damaged: .refused(.damaged)
            case .passing: .refused(.away)
            case .failed: .refused(.failed)
            }
        }
    }
}

extension PostgresFault {
    package var unreadReason: String? {
        switch self {
        case .refused: nil
        case .damagedRow, .server, .away, .lost, .pooled, .notReplicated: "\(self)"
        }
    }
}

extension PostgresFault: CustomStringConvertible {
    package var description: String {
        switch self {
        case .refused(let refusal): "the store refused the call: \(refusal)"
        case .pooled(let sign): "\(PostgresOpeningFault.pooled(sign))"
        case .server(let error): "PostgreSQL reports error \(error.state): \(error.message)"
        case .damagedRow(let reason), .away(let reason), .lost(let reason), .notReplicated(let reason):
            reason
        }
    }
}
