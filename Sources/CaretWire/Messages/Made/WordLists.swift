// Made by scripts/protocol.mjs from docs/protocol/protocol.json. Change that file, not this one.

/// What a client intends to do with a document that it opens.
package enum OpenMode: String, CaseIterable, WireWord {
    case edit
    /// The client promises not to push.
    case watch
}

/// What a push can request in its ack.
package enum Want: String, CaseIterable, WireWord {
    case text
}

/// What a user may do with a document.
package enum Rights: String, CaseIterable, WireWord {
    case none
    case read
    case write
}

/// What a link to a document allows.
package enum LinkRights: String, CaseIterable, WireWord {
    case read
    case write
}

/// What a grant allows. Each right includes all lower rights.
package enum GrantedRights: String, CaseIterable, WireWord {
    case read
    case note
    case write
    case admin
}

/// What a user may do with the notes of a document.
package enum NoteRights: String, CaseIterable, WireWord {
    case read
    case note
    case write
}

/// The state of a note. `accepted` and `rejected` are final.
package enum NoteState: String, CaseIterable, WireWord {
    case open
    case resolved
    case accepted
    case rejected
}

/// Which line breaks to use when the document is written to a file.
package enum Newline: String, CaseIterable, WireWord {
    case lf
    case crlf
}

/// Why the server sends the whole text instead of changes.
package enum ResyncReason: String, CaseIterable, WireWord {
    case tooSlow = "too_slow"
    case epoch
    case trimmed
}

/// Why the server cannot rebase from the base of a request.
package enum TrimmedCause: String, CaseIterable, WireWord {
    /// The history there was trimmed.
    case trimmed
    /// The rebase would take too long (rule P5).
    case work
    /// The push may have been forgotten (rule P11).
    case forgotten
}

/// Why a document is no longer open.
package enum GoneReason: String, CaseIterable, WireWord {
    case deleted
    case renamed
    case damaged
}

/// Why the server closes a connection, other than after an error.
package enum ByeReason: String, CaseIterable, WireWord {
    case shuttingDown = "shutting_down"
    case idle
    case tooSlow = "too_slow"
    case replaced
    case revoked
    case tokenEnded = "token_ended"
}
