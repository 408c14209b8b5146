package import CaretCore

/// A word of a closed list on the wire, such as an error code.
package protocol WireWord: Equatable, Sendable {
    static var all: [Self] { get }
    /// The word as sent. It has only plain letters, digits, `-` and `_`.
    var word: String { get }
}

extension WireWord {
    func matches(_ string: WireString) -> Bool { string.utf8.elementsEqual(word.utf8) }
}

extension WireWord where Self: CaseIterable {
    package static var all: [Self] { Array(allCases) }
}

extension WireWord where Self: RawRepresentable<String> {
    package var word: String { rawValue }
}

/// A word of a list that a newer version may have extended. Unknown words are kept unchanged.
package enum OpenWord<Known: WireWord>: Equatable, Sendable {
    case known(Known)
    case unknown(WireString)
}

extension JSONWriter {
    mutating func member(_ name: StaticString, _ word: some WireWord) {
        key(name)
        value(WireString(word.word))
    }

    mutating func member(_ name: StaticString, _ word: OpenWord<some WireWord>) {
        switch word {
        case .known(let known): member(name, known)
        case .unknown(let unknown): member(name, unknown)
        }
    }
}

extension ErrorCode: WireWord {}

extension CodeUnit: WireWord {
    package static let all: [CodeUnit] = [.utf16, .utf8, .scalar]

    package var word: String {
        switch self {
        case .utf8: "utf-8"
        case .utf16: "utf-16"
        case .scalar: "utf-32"
        }
    }
}

/// What a client intends to do with a document that it opens.
package enum OpenMode: String, CaseIterable, WireWord {
    case edit
    /// The client promises not to push.
    case watch
}

/// What a user may do with a document.
package enum Rights: String, CaseIterable, WireWord {
    case none, read, write
}

/// Which line breaks to use when the document is written to a file.
package enum Newline: String, CaseIterable, WireWord {
    case lf, crlf
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
    /// The changes after the base are there, but rebasing over them would take too long.
    case work
    /// The server may have forgotten that it committed the push.
    case forgotten
}

/// Why a document is no longer open.
package enum GoneReason: String, CaseIterable, WireWord {
    case deleted, renamed, damaged
}

/// Why the server closes a connection, other than after an error.
package enum ByeReason: String, CaseIterable, WireWord {
    case shuttingDown = "shutting_down"
    case idle
    case tooSlow = "too_slow"
    case replaced, revoked
}
