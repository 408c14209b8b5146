import CSQLite

/// Why a call of SQLite failed.
package struct DatabaseFault: Error, Equatable, Sendable {
    /// SQLite's extended result code.
    package let code: Int32
    package let message: String
    /// Whether the system reported a full disk. SQLite's result code does not always show this.
    package let isOutOfSpace: Bool

    package init(code: Int32, message: String, isOutOfSpace: Bool = false) {
        self.code = code
        self.message = message
        self.isOutOfSpace = isOutOfSpace
    }

    /// What is read cannot be what was written.
    static func damaged(_ message: String) -> DatabaseFault {
        DatabaseFault(code: SQLITE_CORRUPT, message: message)
    }

    package enum Kind: Sendable {
        /// The disk is full.
        case full
        /// The file is damaged.
        case damaged
        /// Everything else: the disk failed, or the statement was wrong.
        case failed
    }

    package var kind: Kind {
        switch code & 0xFF {
        case SQLITE_FULL: .full
        case _ where isOutOfSpace: .full
        // The new row conflicts with an existing row, so an existing row is damaged.
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_CONSTRAINT, SQLITE_MISMATCH: .damaged
        // `PageSums` returns this code for a page or frame with a wrong checksum.
        case SQLITE_IOERR where code == caret_sqlite_ioerr_data(): .damaged
        default: .failed
        }
    }
}
