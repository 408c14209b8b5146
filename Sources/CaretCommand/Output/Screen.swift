import Glibc

/// The terminal that shows the output.
package struct Screen: Equatable, Sendable {
    let columns: Int

    /// Nil if the output is not a terminal.
    init?(_ output: Output, _ environment: [String: String]) {
        guard output.isTerminal else { return nil }
        var size = winsize()
        let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        columns = isKnown ? Int(size.ws_col) : environment["COLUMNS"].flatMap { Int($0) } ?? 80
    }

    package init(columns: Int) { self.columns = columns }
}

extension String {
    /// One line that is safe to print on a terminal. Visible signs replace control characters and characters
    /// that change the direction of text. A tab stays.
    ///
    /// Use this property for everything that comes from elsewhere: names, users, messages of a server, texts.
    package var printable: String { showingControls { $0.isTerminalControl } }

    /// Like `printable`, but for a text of several lines: line breaks stay too.
    package var printableLines: String { showingControls { $0.isTerminalControl && $0 != "\n" } }

    /// A field of a row for programs. Visible signs replace only control characters, which could begin
    /// another field or row.
    package var field: String { showingControls { $0.isControl || $0 == "\t" } }

    private func showingControls(_ isShown: (Unicode.Scalar) -> Bool) -> String {
        // Most strings have no such character.
        guard unicodeScalars.contains(where: isShown) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            if isShown(scalar) { text += scalar.visibleSign } else { text.unicodeScalars.append(scalar) }
        }
        return text
    }

    /// The width on a terminal, in columns.
    var columns: Int { reduce(0) { $0 + $1.columns } }

    /// The beginning of the text that fits into `limit` columns. It ends with `…` if some text was left out.
    func shortened(to limit: Int) -> String {
        if columns <= limit { return self }
        var (text, used) = ("", 0)
        for character in self {
            if used + character.columns > limit - 1 { break }
            text.append(character)
            used += character.columns
        }
        return text + "…"
    }

    func padded(to width: Int, atStart: Bool = false) -> String {
        let padding = String(repeating: " ", count: max(0, width - columns))
        return atStart ? padding + self : self + padding
    }
}

extension Unicode.Scalar {
    /// Whether a terminal interprets this character instead of printing it.
    fileprivate var isTerminalControl: Bool { isControl || isDirection }

    /// Whether this is a control character (C0, C1 or DEL), but not the tab.
    fileprivate var isControl: Bool { value < 0x20 && value != 0x09 || 0x7F..<0xA0 ~= value }

    /// Embeddings, overrides and isolates, which reorder the characters after them.
    private var isDirection: Bool { 0x202A...0x202E ~= value || 0x2066...0x2069 ~= value }

    /// A visible sign for this character. Unicode has signs for C0 and DEL.
    fileprivate var visibleSign: String {
        switch value {
        case 0..<0x20: String(Character(Unicode.Scalar(0x2400 + value) ?? "?"))
        case 0x7F: "\u{2421}"
        default:
            "<U+" + String(repeating: "0", count: value < 0x1000 ? 2 : 0)
                + String(value, radix: 16, uppercase: true) + ">"
        }
    }
}

extension Character {
    /// Two columns for East Asian characters and emoji.
    fileprivate var columns: Int {
        guard let first = unicodeScalars.first else { return 0 }
        switch first.value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }
}
