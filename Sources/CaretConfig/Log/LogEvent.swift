package import CaretWire

/// One thing that happened, for the operator.
package struct LogEvent: Equatable, Sendable {
    /// Everything that is ever told.
    package enum Name: String, CaseIterable, Sendable {
        case starting, listening, ready, stopping, stopped
        case openToAnyone = "open_to_anyone"
        case variableIgnored = "variable_ignored"
        case cannotListen = "cannot_listen"
        /// Others than the server's user may look into the data folder.
        case dataReadable = "data_readable"
        /// So few descriptors are left for connections that people may be turned away.
        case fewDescriptors = "few_descriptors"

        case connectionOpened = "connection_opened"
        case connectionClosed = "connection_closed"
        /// No descriptor or memory was left for it.
        case connectionRefused = "connection_refused"
        /// A session fell so far behind that its room does not have at hand what it needs.
        case slowReader = "slow_reader"
        /// A client's text is not what it was told that it is.
        case textDiverged = "text_diverged"
        /// Somebody showed an unknown token, or none where one is needed.
        case loginFailed = "login_failed"
        /// Wrong tokens came from there so often that it has to wait.
        case guessingSlowed = "guessing_slowed"
        case tokenAdded = "token_added"
        case tokenRevoked = "token_revoked"

        case roomOpened = "room_opened"
        case roomClosed = "room_closed"

        case migrating
        case epochsRenewed = "epochs_renewed"
        case historyTrimmed = "history_trimmed"
        case documentPurged = "document_purged"
        case pushersForgotten = "pushers_forgotten"
        case diskFull = "disk_full"
        case diskFreed = "disk_freed"
        case diskFailed = "disk_failed"
        /// The database was removed or replaced under the running server.
        case dataLost = "data_lost"
        case documentDamaged = "document_damaged"
        /// A check of the store has found something that is not as it was written.
        case damageFound = "damage_found"
        /// A check of the store did not come to its end.
        case checkFailed = "check_failed"
        case backupMade = "backup_made"
        case backupFailed = "backup_failed"

        case memoryReturned = "memory_returned"

        /// An answer `internal` to a client, who was told the same numbers.
        case internalFault = "internal_fault"
        /// Lines of one event that its rate did not let through, when the log ends.
        case logSuppressed = "log_suppressed"

        package var level: LogLevel {
            switch self {
            case .connectionOpened, .connectionClosed, .roomOpened, .roomClosed, .historyTrimmed,
                .documentPurged, .pushersForgotten, .memoryReturned:
                .debug
            case .starting, .listening, .ready, .stopping, .stopped, .loginFailed, .tokenAdded, .tokenRevoked,
                .migrating,
                .diskFreed, .backupMade, .logSuppressed:
                .info
            case .openToAnyone, .variableIgnored, .dataReadable, .fewDescriptors, .connectionRefused,
                .slowReader, .textDiverged,
                .guessingSlowed,
                .epochsRenewed:
                .warning
            case .cannotListen, .diskFull, .diskFailed, .dataLost, .documentDamaged, .damageFound,
                .checkFailed,
                .backupFailed,
                .internalFault:
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

/// What may be told of an event: numbers, addresses, words of the program. There is no field that would take a text of
/// a document, a name that somebody gave it, or a token.
package enum LogField: Equatable, Sendable {
    case transport(Transport)
    /// Where it is listened.
    case address(ListenAddress)
    /// Where a connection comes from.
    case peer(ListenAddress)
    /// A file or folder of the operator.
    case path(String)
    /// The name of an environment variable.
    case variable(String)
    case version(LogWord)
    case process(Int)
    case connection(Int)
    /// A document by its number, never by its name.
    case document(Int64)
    case revision(Int)
    /// A token by its number.
    case token(Int64)
    case code(ErrorCode)
    case reason(LogWord)
    /// A code of the system.
    case errno(Int32)
    /// An extended result code of SQLite.
    case sqlite(Int32)
    case signal(Int32)
    case event(LogEvent.Name)
    case count(Int)
    case bytes(Int)
    case milliseconds(Int)

    package enum Transport: String, Sendable {
        case tcp, unix
    }
}

/// A word that stands in the source: what a client sent cannot become one.
package struct LogWord: ExpressibleByStringLiteral, Equatable, Sendable {
    let text: String

    package init(stringLiteral text: StaticString) { self.text = text.description }
}

extension LogField {
    package enum Value {
        case word(String)
        case number(Int64)
    }

    /// As it stands in the line.
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
        case .errno(let code): ("errno", .number(Int64(code)))
        case .sqlite(let code): ("sqlite", .number(Int64(code)))
        case .signal(let number): ("signal", .number(Int64(number)))
        case .event(let name): ("of", .word(name.rawValue))
        case .count(let number): ("count", .number(Int64(number)))
        case .bytes(let number): ("bytes", .number(Int64(number)))
        case .milliseconds(let number): ("ms", .number(Int64(number)))
        }
    }
}
