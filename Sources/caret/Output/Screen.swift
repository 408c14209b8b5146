import Glibc

/// The terminal that the output goes to.
struct Screen: Equatable, Sendable {
    let columns: Int

    /// Nil where the output goes elsewhere.
    init?(_ output: Output, _ environment: [String: String]) {
        guard output.isTerminal else { return nil }
        var size = winsize()
        let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        columns = isKnown ? Int(size.ws_col) : environment["COLUMNS"].flatMap { Int($0) } ?? 80
    }

    init(columns: Int) { self.columns = columns }
}

extension String {
    /// The same, with nothing in it that a terminal would obey.
    var harmless: String {
        // Mostly nothing has to be done.
        if utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }), !hasC1Controls { return self }
        var text = ""
        for scalar in unicodeScalars {
            switch scalar.value {
            case 0x09: text.unicodeScalars.append(scalar)
            // The pictures of the controls.
            case 0..<0x20: text.unicodeScalars.append(Unicode.Scalar(UInt16(0x2400 + scalar.value)) ?? "?")
            case 0x7F: text += "\u{2421}"
            case 0x80..<0xA0: text += "\u{FFFD}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    private var hasC1Controls: Bool { unicodeScalars.contains { 0x80..<0xA0 ~= $0.value } }

    /// How many columns of a terminal it takes.
    var columns: Int { reduce(0) { $0 + $1.columns } }

    /// As much of its beginning as fits, with a sign that there was more.
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

extension Character {
    /// Two for those of East Asian scripts and for pictures.
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
