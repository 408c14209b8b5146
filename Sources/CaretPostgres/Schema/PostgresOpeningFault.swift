import CaretFormat

/// Why a database was not opened. Its data was not changed, except by migrations that succeeded before.
package enum PostgresOpeningFault: Error, Equatable, Sendable {
    case cannotConnect(String)
    /// A pooler gives the connection away between transactions or statements. This is the sign of it.
    case pooled(String)
    /// PostgreSQL refuses a statement that should always succeed.
    case refused(String)
    /// No standby of this list has confirmed a commit.
    case notConfirmed(String, seconds: Int)
    case serverTooOld(found: String)
    /// The server has this setting, but a synced commit needs it to be on.
    case unsafeSetting(name: String, value: String)
    /// No standby confirms commits.
    case notReplicated
    /// A later version of Caret wrote the database.
    case schemaTooNew(found: Int64, known: Int64)
    /// This server runs, and does not know the schema of this build.
    case olderServer(String)
    /// An applied migration differs from the one of this build.
    case migrationChanged(migration: Int64)
    case migrationFailed(String)
    /// `caret move` has moved the documents to another store, with its note.
    case moved(String)
    /// A move has begun and has not ended, with its note.
    case moving(String)
    /// Another running server has this name.
    case nameInUse(String)
}

extension PostgresOpeningFault {
    /// What the failure of a statement at the start means.
    package init(_ fault: PostgresFault) {
        if case .pooled(let sign) = fault {
            self = .pooled(sign)
            return
        }
        guard case .server(let error) = fault else {
            self = .cannotConnect("\(fault)")
            return
        }
        if let state = MoveFence.State(rawValue: error.state) {
            self = state == .moved ? .moved(error.message) : .moving(error.message)
        } else if ["42P05", "26000", "08P01"].contains(error.state) {
            // Another client has a prepared statement of this name, that of this client is missing, or transactions are refused.
            self = .pooled(error.message)
        } else if error.isLocked {
            self = .cannotConnect("another program has locked the tables")
        } else {
            self = error.kind == .passing ? .cannotConnect("\(fault)") : .refused("\(fault)")
        }
    }

    /// Whether the database may be opened later without a change of the configuration.
    package var mayPass: Bool {
        switch self {
        case .cannotConnect, .notConfirmed, .olderServer: true
        case .pooled, .refused, .serverTooOld, .unsafeSetting, .notReplicated, .schemaTooNew,
            .migrationChanged,
            .migrationFailed, .moved, .moving, .nameInUse:
            false
        }
    }
}

/// A sentence for the operator: what is wrong, and what to do.
extension PostgresOpeningFault: CustomStringConvertible {
    package var description: String {
        switch self {
        case .cannotConnect(let reason): "PostgreSQL cannot be reached: \(reason)"
        case .pooled(let sign):
            "the pooler in front of PostgreSQL is not in session mode (\(sign)); set this mode, or connect directly"
        case .refused(let error): "the database cannot be used: \(error)"
        case .notConfirmed(let standbys, let seconds):
            "no standby has confirmed a commit within \(seconds) s: PostgreSQL waits for synchronous_standby_names = "
                + "\(standbys)"
        case .serverTooOld(let found):
            "PostgreSQL 15 or later is needed, and this server has version \(found)"
        case .unsafeSetting(let name, let value):
            "PostgreSQL has \(name) = \(value), so a crash of its machine could lose acked changes; turn it on"
        case .notReplicated:
            "PostgreSQL has no synchronous standby (synchronous_standby_names is empty), so the loss of its disk "
                + "would lose acked changes; set up a standby, or allow this with --allow-unreplicated"
        case .schemaTooNew(let found, let known):
            "the database has schema \(found), but this version only knows \(known); run the later version"
        case .olderServer(let name):
            "the schema of this version does not suit the server \(name), which is older and still runs; stop all "
                + "older servers"
        case .migrationChanged(let migration):
            "migration \(migration) in the database differs from that of this version; run the version that applied it"
        case .moved(let note): "\(note); start the server with that store"
        case .moving(let note): "\(note); \(MoveNote.advice)"
        case .nameInUse(let name):
            "another running server over this database has the name \(name); give each server its own --node"
        case .migrationFailed(let reason): "the schema could not be brought up to date: \(reason)"
        }
    }
}
