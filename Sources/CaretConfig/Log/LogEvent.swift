package import CaretWire

/// An event of the log: its name and its fields.
package struct LogEvent: Equatable, Sendable {
    /// Every event that the server can log.
    package enum Name: String, CaseIterable, Sendable {
        case starting, listening, ready, stopping, stopped
        case openToAnyone = "open_to_anyone"
        case variableIgnored = "variable_ignored"
        case cannotListen = "cannot_listen"
        /// Other users of the machine can list the data folder.
        case dataReadable = "data_readable"
        /// Few descriptors are left, so new connections may be refused soon.
        case fewDescriptors = "few_descriptors"
        /// The server could not report its state to the service manager.
        case notifyFailed = "notify_failed"

        /// The configuration was read again, and applied.
        case reloaded
        /// The configuration was read again and has a fault, so nothing was changed.
        case reloadFailed = "reload_failed"
        /// New connections use the certificate that was just read.
        case tlsReloaded = "tls_reloaded"
        case tlsEndsSoon = "tls_ends_soon"

        case connectionOpened = "connection_opened"
        case connectionClosed = "connection_closed"
        /// A connection was refused because no descriptor or memory was free.
        case connectionRefused = "connection_refused"
        /// A session fell so far behind that the room reads its changes from the store.
        case slowReader = "slow_reader"
        /// A client that may only read a document knows a revision beyond its head.
        case readerAhead = "reader_ahead"
        /// A client's text differs from what the server sent.
        case textDiverged = "text_diverged"
        /// A client sent an unknown token, or no token although one is required.
        case loginFailed = "login_failed"
        /// A client that is no proxy of the configuration named a user in the field of the proxies.
        case signInHeaderDropped = "sign_in_header_dropped"
        /// A token was refused because the client's address had sent too many unknown tokens.
        case guessingSlowed = "guessing_slowed"
        /// A page of another site may not use the server.
        case originRefused = "origin_refused"
        case tokenAdded = "token_added"
        case tokenRevoked = "token_revoked"
        /// Signed tokens of a user were made invalid.
        case userSignedOut = "user_signed_out"

        case roomOpened = "room_opened"
        case roomClosed = "room_closed"

        case migrating
        case epochsRenewed = "epochs_renewed"
        /// The index of names did not match the documents, and was made again.
        case namesRebuilt = "names_rebuilt"
        case historyTrimmed = "history_trimmed"
        /// A passage was removed from the whole history of a document.
        case historyRedacted = "history_redacted"
        /// The unused parts of the database no longer contain redacted text.
        case filesErased = "files_erased"
        case documentPurged = "document_purged"
        case pushersForgotten = "pushers_forgotten"
        case diskFull = "disk_full"
        case diskFreed = "disk_freed"
        case diskFailed = "disk_failed"
        /// The database was removed or replaced while the server runs.
        case dataLost = "data_lost"
        /// PostgreSQL cannot be reached.
        case storeAway = "store_away"
        case storeBack = "store_back"
        /// PostgreSQL has no synchronous standby, so nothing is written.
        case storeUnreplicated = "store_unreplicated"
        case storeReplicated = "store_replicated"
        /// PostgreSQL refused a statement that should always succeed.
        case storeFailed = "store_failed"
        /// The clock of this machine and the stored times, or PostgreSQL's clock, differ.
        case clockDiffers = "clock_differs"
        /// Another server over the same database has the name of this one.
        case nameLost = "name_lost"
        case documentDamaged = "document_damaged"
        /// A check of the store found data that differs from what was written.
        case damageFound = "damage_found"
        /// A check of the store did not finish.
        case checkFailed = "check_failed"
        case backupMade = "backup_made"
        case backupFailed = "backup_failed"

        case memoryReturned = "memory_returned"

        /// The server sent a client the error `internal`. The log line contains the numbers of the document
        /// and revision, or of the connection.
        case internalFault = "internal_fault"
        /// Written at the end of the log: how many lines of an event the rate limit suppressed.
        case logSuppressed = "log_suppressed"

        package var level: LogLevel {
            switch self {
            case .connectionOpened, .connectionClosed, .roomOpened, .roomClosed, .historyTrimmed,
                .documentPurged, .pushersForgotten, .memoryReturned:
                .debug
            case .starting, .listening, .ready, .stopping, .stopped, .loginFailed, .originRefused,
                .tokenAdded, .tokenRevoked, .userSignedOut,
                .migrating,
                .historyRedacted, .filesErased, .diskFreed, .backupMade, .logSuppressed, .reloaded,
                .tlsReloaded, .storeBack, .storeReplicated:
                .info
            case .openToAnyone, .variableIgnored, .dataReadable, .fewDescriptors, .notifyFailed,
                .connectionRefused,
                .slowReader, .readerAhead, .textDiverged,
                .signInHeaderDropped, .guessingSlowed,
                .epochsRenewed, .namesRebuilt, .tlsEndsSoon, .storeAway, .clockDiffers:
                .warning
            case .cannotListen, .diskFull, .diskFailed, .dataLost, .documentDamaged, .damageFound,
                .checkFailed,
                .backupFailed,
                .internalFault, .reloadFailed, .storeFailed, .storeUnreplicated, .nameLost:
                .error
            }
        }
    }

    package let name: Name
    package let fields: [LogField]

    package init(_ name: Name, _ fields: LogField...) {
        self.name = name
        self.fields = fields
    }
}

/// A field of a log line. Its value is a number, an address, a path, a fixed word, or a text from the
/// configuration. So the log cannot contain a document's text, a name that a user chose, or a token.
package enum LogField: Equatable, Sendable {
    case transport(Transport)
    /// An address on which the server listens.
    case address(ListenAddress)
    /// The address of a client.
    case peer(ListenAddress)
    /// The path of a file or folder that the operator chose.
    case path(String)
    /// The name of an environment variable.
    case variable(String)
    case version(LogWord)
    case process(Int)
    case connection(Int)
    /// The number of a document. Names are never logged.
    case document(Int64)
    case revision(Int)
    /// The number of a token. The token's text is never logged.
    case token(Int64)
    case code(ErrorCode)
    case reason(LogWord)
    /// The site of a page: only scheme, host and port.
    case origin(Origin)
    /// An error code of the system.
    case errno(Int32)
    /// An extended result code of SQLite.
    case sqlite(Int32)
    case signal(Int32)
    case event(LogEvent.Name)
    case count(Int)
    case bytes(Int)
    case milliseconds(Int)
    /// Days that are left.
    case days(Int)
    /// What is wrong with a configuration that was read again, or why PostgreSQL cannot be reached. It may repeat
    /// parts of the configuration.
    case fault(String)
    /// An error code of PostgreSQL: five characters.
    case sqlState(String)
    /// Settings that a reload has changed.
    case changed([SettingChange])
    /// Settings that changed in the configuration, but take effect only after a restart.
    case needsRestart([SettingChange])

    package enum Transport: String, Sendable {
        case tcp, unix
    }
}

/// A fixed word from the source code. Only a string literal can make this value, so it never contains client
/// input.
package struct LogWord: ExpressibleByStringLiteral, Equatable, Sendable {
    let text: String

    package init(stringLiteral text: StaticString) { self.text = text.description }
}

extension LogField {
    package enum Value {
        case word(String)
        /// A sentence or a list for people. It may be longer than a word.
        case text(String)
        case number(Int64)
    }

    /// The key and the value, as written in the line.
    package var keyAndValue: (key: String, value: Value) {
        switch self {
        case .transport(let transport): ("transport", .word(transport.rawValue))
        case .address(let address): ("address", .word(address.description))
        case .peer(let address): ("peer", .word(address.description))
        case .path(let path): ("path", .word(path))
        case .variable(let name): ("variable", .word(name))
        case .version(let word): ("version", .word(word.text))
        case .process(let number): ("process", .number(Int64(number)))
        case .connection(let number): ("connection", .number(Int64(number)))
        case .document(let number): ("document", .number(number))
        case .revision(let number): ("revision", .number(Int64(number)))
        case .token(let number): ("token", .number(number))
        case .code(let code): ("code", .word(code.rawValue))
        case .reason(let word): ("reason", .word(word.text))
        case .origin(let origin): ("origin", .word(origin.description))
        case .errno(let code): ("errno", .number(Int64(code)))
        case .sqlite(let code): ("sqlite", .number(Int64(code)))
        case .signal(let number): ("signal", .number(Int64(number)))
        case .event(let name): ("of", .word(name.rawValue))
        case .count(let number): ("count", .number(Int64(number)))
        case .bytes(let number): ("bytes", .number(Int64(number)))
        case .milliseconds(let number): ("ms", .number(Int64(number)))
        case .days(let number): ("days", .number(Int64(number)))
        case .fault(let sentence): ("fault", .text(sentence))
        case .sqlState(let code): ("sqlstate", .word(code))
        case .changed(let changes): ("changed", .text(Self.list(changes)))
        case .needsRestart(let changes): ("needs_restart", .text(Self.list(changes)))
        }
    }

    private static func list(_ changes: [SettingChange]) -> String {
        changes.isEmpty ? "none" : changes.map(\.description).joined(separator: ", ")
    }
}
