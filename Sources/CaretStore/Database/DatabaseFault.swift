import CSQLite

/// Why a call of SQLite failed.
package struct DatabaseFault: Error, Equatable, Sendable {
    /// SQLite's extended result code.
    package let code: Int32
    package let message: String
    /// The system reported that the disk is full, whatever SQLite's code is.
    package var isOutOfSpace = false

    package init(code: Int32, message: String, isOutOfSpace: Bool = false) {
        self.code = code
        self.message = message
        self.isOutOfSpace = isOutOfSpace
    }

    /// Reading back a merged segment gave other bytes than were written.
    static let notWritten = DatabaseFault(
        code: SQLITE_CORRUPT, message: "a merged segment was read back with other content")

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
        // A row conflicts with the existing rows: one of them is not as it was written.
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_CONSTRAINT, SQLITE_MISMATCH: .damaged
        // The code of a page whose sum is wrong.
        case SQLITE_IOERR where code == caret_sqlite_ioerr_data(): .damaged
        default: .failed
        }
    }
}
