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

    mutating func member(_ name: StaticString, _ word: (some WireWord)?) {
        if let word { member(name, word) }
    }

    mutating func member(_ name: StaticString, _ word: OpenWord<some WireWord>?) {
        if let word { member(name, word) }
    }

    mutating func member(_ name: StaticString, _ word: OpenWord<some WireWord>) {
        switch word {
        case .known(let known): member(name, known)
        case .unknown(let unknown): member(name, unknown)
        }
    }
}

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
