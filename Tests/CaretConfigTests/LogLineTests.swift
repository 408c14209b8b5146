import CaretConfig
import CaretWire
import Testing

@Suite("Lines of the log") struct LogLineTests {
    private static let listening = LogEvent(
        .listening, .transport(.tcp), .address(ListenAddress.loopback(port: 45123)))
    private static let time: Int64 = 1_795_248_900_123

    private func text(_ line: LogLine, _ format: LogFormat = .plain) -> String {
        String(decoding: line.written(as: format), as: UTF8.self)
    }

    @Test("an event is written as one line, plain or in JSON")
    func formats() {
        let line = LogLine(Self.listening, at: Self.time)
        #expect(
            text(line)
                == "2026-11-21T08:15:00.123Z info event=listening transport=tcp address=127.0.0.1:45123\n")
        #expect(
            text(line, .json)
                == #"{"time":"2026-11-21T08:15:00.123Z","level":"info","event":"listening","transport":"tcp","#
                + "\"address\":\"127.0.0.1:45123\"}\n")
    }

    @Test("a log line says how many lines were suppressed or lost before it")
    func counts() {
        let line = LogLine(LogEvent(.diskFull), at: 0, suppressed: 7, lost: 3)
        #expect(text(line) == "1970-01-01T00:00:00.000Z error event=disk_full suppressed=7 lost=3\n")
        #expect(text(line, .json).hasSuffix(#""event":"disk_full","suppressed":7,"lost":3}"# + "\n"))
    }

    @Test(
        "a value is quoted if it would otherwise be ambiguous",
        arguments: [
            ("/var/lib/caret", "/var/lib/caret"), ("a b", "\"a b\""), ("", "\"\""), ("a=b", "\"a=b\""),
            ("a\"b", "\"a\\\"b\""), ("a\\b", "\"a\\\\b\""), ("a\nevent=x", "\"a\\nevent=x\""), ("ä", "\"ä\""),
            ("\u{1B}[2J\u{7F}\u{202E}\u{2028}", "\"\\u001b[2J\\u007f\\u202e\\u2028\""),
            ("\u{E0001}", "\"\\udb40\\udc01\""),
        ])
    func quoting(path: String, written: String) {
        let line = LogLine(LogEvent(.starting, .path(path), .process(1)), at: 0)
        #expect(text(line) == "1970-01-01T00:00:00.000Z info event=starting path=\(written) process=1\n")
    }

    @Test("every field has a distinct lowercase key in both formats")
    func everyField() throws {
        let fields = Array(sequence(first: LogField.transport(.unix), next: \.next))
        let keys = fields.map(\.keyAndValue.key)
        #expect(Set(keys).count == keys.count)
        for field in fields {
            let line = LogLine(LogEvent(.ready, field), at: 0)
            let json = try JSON5Reader.read(line.written(as: .json))
            guard case .object(let members) = json.kind else { return #expect(Bool(false)) }
            #expect(members.map(\.key) == ["time", "level", "event", field.keyAndValue.key])
            #expect(text(line).contains(" \(field.keyAndValue.key)="))
        }
    }

    @Test("a log line is never longer than one atomic write to a pipe")
    func longest() {
        let path = LogField.path(String(repeating: "\u{E0001}", count: 10_000))
        let event = LogEvent(.starting, path, path, path, path, path, path, .count(1))
        for format in LogFormat.allCases {
            let line = LogLine(event, at: .max, suppressed: .max, lost: .max)
            #expect(line.written(as: format).count <= LogLine.longest)
            #expect(text(line, format).contains("suppressed"))
        }
    }

    @Test("a value of more than 200 characters is cut, and keeps its beginning")
    func cut() {
        let plain = String(repeating: "a", count: 199) + "b"
        let other = "a" + String(repeating: "é", count: 198) + "z"
        for (path, written) in [
            (plain, plain), (plain + "c", "\"\(plain)…\""), (other, "\"\(other)\""),
            (other + "y", "\"\(other)…\""),
        ] {
            let line = LogLine(LogEvent(.starting, .path(path)), at: 0)
            #expect(text(line).hasSuffix(" path=\(written)\n"))
            let quoted = path == plain ? "\"\(plain)\"" : written
            #expect(text(line, .json).hasSuffix(",\"path\":\(quoted)}\n"))
        }
    }

    @Test("a sentence may be longer than other values, up to 1,500 characters")
    func longText() {
        let longest = String(repeating: "é", count: 1_500)
        for (sentence, written) in [(longest, longest), (longest + "x", longest + "…")] {
            let event = LogEvent(.reloadFailed, .fault(sentence))
            for (format, key) in [(LogFormat.plain, " fault="), (.json, ",\"fault\":")] {
                #expect(text(LogLine(event, at: 0), format).contains("\(key)\"\(written)\""))
            }
        }
    }

    @Test("the settings that a reload changed are one field, or the word none")
    func changes() throws {
        let key = try #require(ConfigurationKey.named("loops"))
        var settings = Settings()
        settings.loops = 2
        let change = SettingChange(key: key, from: Settings(), to: settings)
        let event = LogEvent(.reloaded, .changed([]), .needsRestart([change, change]))
        let written = #"event=reloaded changed=none needs_restart="loops: 0 -> 2, loops: 0 -> 2""#
        #expect(text(LogLine(event, at: 0)).hasSuffix(written + "\n"))
    }

    @Test("a line leaves out the first field that does not fit, and all after it")
    func omitted() {
        // With the third field, the line has 4,000 bytes, which fits, or 4,001 bytes, which does not. The
        // other 96 bytes of a line are reserved for its counts and its end.
        let escaped = String(repeating: "\u{E0001}", count: 100)
        for (count, length) in [(8, 4_001), (9, 2_461)] {
            let last = String(repeating: "\u{E0001}", count: 127) + String(repeating: "a", count: count)
            let event = LogEvent(.starting, .path(escaped), .path(escaped), .path(last), .count(1))
            #expect(text(LogLine(event, at: 0)).utf8.count == length)
        }
    }

    @Test(
        "a time of any year is written in UTC",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (951_782_400_001, "2000-02-29T00:00:00.001Z"),
            (-1, "1969-12-31T23:59:59.999Z"), (4_102_444_799_999, "2099-12-31T23:59:59.999Z"),
        ] as [(Int64, String)])
    func times(milliseconds: Int64, written: String) {
        #expect(LogLine.timestamp(milliseconds) == written)
    }

    @Test("event names are unique, and levels are ordered by severity")
    func names() {
        #expect(Set(LogEvent.Name.allCases.map(\.rawValue)).count == LogEvent.Name.allCases.count)
        #expect(LogLevel.allCases.sorted() == LogLevel.allCases)
    }
}

extension LogField {
    /// A field of the kind that follows this field's kind. The chain of these fields must contain every kind,
    /// so that the tests try all kinds.
    fileprivate var next: LogField? {
        switch self {
        case .transport: .address(.loopback(port: 1))
        case .address: .peer(.loopback(port: 2))
        case .peer: .path("a b")
        case .path: .variable("CARET_X")
        case .variable: .version("0.1.0")
        case .version: .process(1)
        case .process: .connection(2)
        case .connection: .document(3)
        case .document: .revision(4)
        case .revision: .token(5)
        case .token: .code(.badJSON)
        case .code: .reason("idle")
        case .reason: .origin(Origin(isSecure: true, Authority("example.org")!))
        case .origin: .errno(24)
        case .errno: .sqlite(4874)
        case .sqlite: .signal(15)
        case .signal: .event(.slowReader)
        case .event: .count(6)
        case .count: .bytes(7)
        case .bytes: .milliseconds(8)
        case .milliseconds: .days(9)
        case .days: .fault("caret.json5:1:1: a \"fault\"")
        case .fault: .sqlState("42501")
        case .sqlState: .changed([])
        case .changed: .needsRestart([])
        case .needsRestart: nil
        }
    }
}
