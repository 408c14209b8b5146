package import CaretCore

/// Texts for tests: mostly plain letters, and some characters that often break programs.
package enum SampleText {
    /// Graphemes and parts of graphemes, of every kind that programs split by mistake.
    package static let tricky: [String] = [
        "😀", "👍🏽", "🏽", "👩‍👩‍👧‍👦", "👩", "\u{200D}", "🇩🇪", "🇫", "🇷", "e\u{301}", "é", "\u{301}", "\u{327}", "Å",
        "\u{212B}",
        "a\u{30A}", "ﬀ", "한", "\u{1112}\u{1161}\u{11AB}", "\u{1161}", "क्षि", "\u{94D}", "\u{0}", "\u{7F}",
        "\u{202E}",
        "\u{2066}", "\u{2069}", "\u{FEFF}", "\u{FFFD}", "\u{FFFF}", "𝄞", "\u{10FFFF}", "\u{2028}", "\u{85}",
        "❤️", "\u{FE0F}",
        "עברית", "日本語", "ไทย", "\u{E0001}", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "ß", "İ", "\t", "\n", "\n\n",
    ]

    private static let plain = Array("abcdefgh  \n").map(String.init)

    /// A text of up to `count` pieces. On average, `percent` in a hundred pieces are tricky.
    package static func make(upTo count: Int, tricky percent: Int = 30, _ random: inout Seeded) -> String {
        var text = ""
        for _ in 0..<random.number(0...count) {
            text += random.chance(percent) ? random.pick(tricky) : random.pick(plain)
        }
        return text
    }

    /// Lines of words, `bytes` bytes of ASCII in total, like prose or source code.
    package static func lines(bytes: Int, _ random: inout Seeded) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes)
        while text.count < bytes {
            for _ in 0..<random.number(2...12) {
                appendWord(&text, &random)
                text.append(UInt8(ascii: " "))
            }
            text[text.count - 1] = UInt8(ascii: "\n")
            if random.chance(10) { text.append(UInt8(ascii: "\n")) }
        }
        return String(decoding: text[..<bytes], as: UTF8.self)
    }

    package static func word(_ random: inout Seeded) -> String {
        var word: [UInt8] = []
        appendWord(&word, &random)
        return String(decoding: word, as: UTF8.self)
    }

    private static func appendWord(_ text: inout [UInt8], _ random: inout Seeded) {
        for _ in 0..<random.number(1...9) {
            text.append(UInt8(ascii: "a") + UInt8(random.number(0...25)))
        }
    }
}

/// Changes for tests.
package enum SampleChange {
    /// A change of up to `count` edits that fits `text`.
    package static func make(for text: TextBuffer, upTo count: Int, _ random: inout Seeded) -> Change {
        let boundaries = scalarBoundaries(of: text.string)
        var places = (0..<2 * random.number(0...count)).map { _ in random.pick(boundaries) }
        places.sort()
        var edits: [Edit] = []
        for index in stride(from: 0, to: places.count, by: 2) {
            let inserted = random.chance(30) ? "" : SampleText.make(upTo: 4, &random)
            let end = random.chance(40) ? places[index] : places[index + 1]
            edits.append(edit(places[index], end, inserted))
        }
        return change(edits)
    }

    /// Every UTF-16 offset of `string`, except offsets inside a scalar.
    package static func scalarBoundaries(of string: String) -> [Int] {
        var boundaries = [0]
        for scalar in string.unicodeScalars {
            boundaries.append(boundaries[boundaries.count - 1] + (scalar.value > 0xFFFF ? 2 : 1))
        }
        return boundaries
    }

    /// An edit that the test knows to be valid.
    package static func edit(_ start: Int, _ end: Int, _ text: String) -> Edit {
        do {
            return try Edit(Offset(start)..<Offset(end), text)
        } catch {
            preconditionFailure("a test made an invalid edit: \(error)")
        }
    }

    /// A change whose edits the test knows to be valid.
    package static func change(_ edits: [Edit]) -> Change {
        do {
            return try Change(edits)
        } catch {
            preconditionFailure("a test made an invalid change: \(error)")
        }
    }
}
