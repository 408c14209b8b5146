import Glibc

/// A log line: an event with its time and counts.
package struct LogLine: Equatable, Sendable {
    package let event: LogEvent
    /// Milliseconds since 1970.
    package let time: Int64
    /// Lines of this event that the rate limit suppressed before this line.
    package var suppressed = 0
    /// Lines of all events that could not be written before this line.
    package var lost = 0

    /// The largest size of a line, in bytes. A write of this size to a pipe is atomic.
    package static let longest = 4_096
    /// Bytes reserved for the two counts and the end of the line.
    private static let reserve = 96

    package init(_ event: LogEvent, at time: Int64, suppressed: Int = 0, lost: Int = 0) {
        self.event = event
        self.time = time
        self.suppressed = suppressed
        self.lost = lost
    }

    /// The bytes of the line, with its line break.
    package func written(as format: LogFormat) -> [UInt8] {
        var text = begin(format)
        for field in event.fields {
            let (key, value) = field.keyAndValue
            let piece = member(key, value, format)
            // If a field does not fit into the line, this field and all later fields are omitted. Only values
            // with many control characters or non-ASCII letters can be so long.
            if text.utf8.count + piece.utf8.count > Self.longest - Self.reserve { break }
            text += piece
        }
        if suppressed > 0 { text += member("suppressed", .number(Int64(suppressed)), format) }
        if lost > 0 { text += member("lost", .number(Int64(lost)), format) }
        return Array((text + (format == .json ? "}\n" : "\n")).utf8)
    }

    private func begin(_ format: LogFormat) -> String {
        let (level, name) = (event.name.level.rawValue, event.name.rawValue)
        switch format {
        case .plain: return "\(Self.timestamp(time)) \(level) event=\(name)"
        case .json: return #"{"time":"\#(Self.timestamp(time))","level":"\#(level)","event":"\#(name)""#
        }
    }

    private func member(_ key: String, _ value: LogField.Value, _ format: LogFormat) -> String {
        switch (format, value) {
        case (.plain, .number(let number)): " \(key)=\(number)"
        case (.plain, .word(let word)):
            " \(key)=\(word.isPlain ? word : word.cut(to: Self.longestWord).quoted)"
        case (.plain, .text(let text)):
            " \(key)=\(text.isPlain ? text : text.cut(to: Self.longestText).quoted)"
        case (.json, .number(let number)): ",\"\(key)\":\(number)"
        case (.json, .word(let word)): ",\"\(key)\":\(word.cut(to: Self.longestWord).quoted)"
        case (.json, .text(let text)): ",\"\(key)\":\(text.cut(to: Self.longestText).quoted)"
        }
    }

    /// The longest word that is written completely, in characters.
    fileprivate static let longestWord = 200
    /// The longest text that is written completely, in characters. Two such texts of ASCII fit into a line.
    private static let longestText = 1_500

    /// The time in UTC, such as `2026-11-21T08:15:00.123Z`.
    package static func timestamp(_ milliseconds: Int64) -> String {
        let fraction = (milliseconds % 1_000 + 1_000) % 1_000
        var seconds = time_t((milliseconds - fraction) / 1_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let day =
            "\(padded(Int(parts.tm_year) + 1900, 4))-\(padded(Int(parts.tm_mon) + 1, 2))-\(padded(Int(parts.tm_mday), 2))"
        let clock =
            "\(padded(Int(parts.tm_hour), 2)):\(padded(Int(parts.tm_min), 2)):\(padded(Int(parts.tm_sec), 2))"
        return "\(day)T\(clock).\(padded(Int(fraction), 3))Z"
    }

    private static func padded(_ number: Int, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}

extension String {
    /// Whether the value can be written without quotes in the plain format.
    fileprivate var isPlain: Bool {
        !isEmpty && utf8.count <= LogLine.longestWord
            && utf8.allSatisfy { byte in
                (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "=")
                    && byte != UInt8(ascii: "\\")
            }
    }

    fileprivate func cut(to count: Int) -> String {
        guard unicodeScalars.count > count else { return self }
        return String(UnicodeScalarView(unicodeScalars.prefix(count))) + "…"
    }
}
