package import CaretCore

/// A closed list of words on the wire.
package protocol WireWord: Equatable, Sendable {
    static var all: [Self] { get }
    /// Plain letters, digits, `-` and `_`.
    var word: String { get }
}

extension WireWord {
    func isSaid(by string: WireString) -> Bool { string.utf8.elementsEqual(word.utf8) }
}

extension WireWord where Self: CaseIterable {
    package static var all: [Self] { Array(allCases) }
}

extension WireWord where Self: RawRepresentable<String> {
    package var word: String { rawValue }
}

/// A word of a list that may have grown since this was built: a client keeps what it does not know.
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

/// What a client means to do with a document that it opens.
package enum OpenMode: String, CaseIterable, WireWord {
    case edit
    /// It promises to push nothing.
    case watch
}

/// What somebody may do with a document.
package enum Rights: String, CaseIterable, WireWord {
    case none, read, write
}

/// How a document's lines end in the files that it is written back to.
package enum Newline: String, CaseIterable, WireWord {
    case lf, crlf
}

/// Why a client is handed a whole text in place of changes.
package enum ResyncReason: String, CaseIterable, WireWord {
    case tooSlow = "too_slow"
    case epoch
    case trimmed
}

/// Why a document is not open any more.
package enum GoneReason: String, CaseIterable, WireWord {
    case deleted, renamed, damaged
}

/// Why the server closes a connection without a fault of the client.
package enum ByeReason: String, CaseIterable, WireWord {
    case shuttingDown = "shutting_down"
    case idle
    case tooSlow = "too_slow"
    case replaced, revoked
}
