import CaretConfig
import Foundation
import Testing

@Suite("Texts that are generated from the list of keys") struct ProseTests {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    @Test("the help fits a screen of 24 lines with 80 columns")
    func help() {
        let lines = HelpText.help.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 24)
        for line in lines { #expect(line.count <= 80, "\(line)") }
    }

    @Test("the help shows the value, the default and the meaning of an option")
    func helpRows() {
        let lines = HelpText.help.split(separator: "\n", omittingEmptySubsequences: false)
        for line in [
            "  --data DIR                            default \"data\"",
            "  --require-tokens                      default false",
            "      Whether clients need a token. If not, every client has full access.",
            "  --check-config  prints the settings with their origins, or all mistakes",
            "                  _, and a variable, such as CARET_KEEP_HISTORY",
        ] {
            #expect(lines.contains { $0 == line }, "\(line)")
        }
    }

    @Test("config/caret.json5 is up to date; CARET_REWRITE=1 rewrites it")
    func exampleFile() throws {
        let file = Self.root.appending(path: "config/caret.json5")
        if ProcessInfo.processInfo.environment["CARET_REWRITE"] != nil {
            try HelpText.exampleFile.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == HelpText.exampleFile)
    }

    @Test("the example file has every key with its default")
    func exampleIsWhole() throws {
        let configuration = configured(HelpText.exampleFile)
        #expect(configuration.sentences == [])
        #expect(configuration.settings == Settings())
        for key in ConfigurationKey.all {
            #expect(configuration.origin(of: key) != .byDefault, "\(key.name)")
        }
        for line in HelpText.exampleFile.split(separator: "\n") { #expect(line.count <= 120, "\(line)") }
    }

    @Test("a changed byte in the example file never crashes the reader")
    func exampleMutated() {
        let bytes = Array(HelpText.exampleFile.utf8)
        var faults = 0
        for index in bytes.indices {
            var changed = bytes
            changed[index] = [0x00, 0xFF, UInt8(ascii: "\""), UInt8(ascii: "}"), bytes[index] ^ 1][index % 5]
            let file = Configuration.File(path: "caret.json5", bytes: changed)
            let nothing = Invocation(arguments: [], environment: [:])
            faults += Configuration(nothing, file: file, environment: [:]).faults.isEmpty ? 0 : 1
        }
        #expect(faults > bytes.count / 4)
    }

    @Test("--check-config prints a valid file with each setting and its source")
    func report() {
        let configuration = configured(
            "{\n  ping: '5 s', listen: ['127.0.0.1:0', '[::1]:0']\n}",
            ["CARET_LOOPS": "2", "CARET_PORT": "1"],
            "--keep-history=90", "--data", "a \"b\"\u{202E}")
        let again = configured(configuration.report)
        #expect(again.sentences == configuration.sentences)
        let sound = configured("{ping: '5 s'}", ["CARET_LOOPS": "2", "CARET_PORT": "1"], "--keep-history=90")
        #expect(configured(sound.report).settings == sound.settings)
        let lines = sound.report.split(separator: "\n").map { $0.replacing(#/ {2,}/#, with: "  ") }
        #expect(lines.contains(#"  ping: "5 s",  // caret.json5:1:8"#))
        #expect(lines.contains(#"  loops: 2,  // CARET_LOOPS"#))
        #expect(lines.contains(#"  keep_history: "90 days",  // --keep-history"#))
        #expect(lines.contains(#"  data: "data",  // default"#))
        #expect(lines.last == #"// "CARET_PORT" is ignored: no key has this variable."#)
    }

    @Test("--check-config aligns the sources after lines of up to 48 characters")
    func originColumn() {
        // The line for `data` has 11 characters besides the path.
        for (count, column) in [(37, 48), (38, 40)] {
            let report = configured("{data: '\(String(repeating: "a", count: count))'}").report
            let lines = report.split(separator: "\n")
            let loops = "  loops: 0,".padding(toLength: column, withPad: " ", startingAt: 0)
            #expect(lines.contains { $0 == loops + "  // default" }, "\(report)")
            #expect(lines.contains { $0.hasSuffix("a\",  // caret.json5:1:8") }, "\(report)")
        }
    }

    @Test(
        "for a misspelt name, a similar name is suggested if there is one",
        arguments: [
            ("listen", "listen"), ("lsiten", "listen"), ("lisen", "listen"), ("data_", "data"), ("port", nil),
            // A name is suggested if at most a third of its letters differ. Two swapped letters count as one
            // difference.
            ("adta", "data"), ("dtaa", "data"), ("lstn", nil), ("liissten", "listen"), ("", nil),
            ("xxxping", nil),
        ])
    func closest(name: String, found: String?) {
        #expect(name.closest(in: ["listen", "data", "ping"]) == found)
        #expect(String(repeating: "x", count: 100_000).closest(in: ["listen"]) == nil)
    }

    @Test("of several similar names, the most similar one is suggested")
    func mostSimilar() {
        let names = ["keep_hist", "keep_history"]
        #expect("keep_histry".closest(in: names) == "keep_history")
        #expect("keep_histry".closest(in: names.reversed()) == "keep_history")
    }

    @Test("of two long names, only the first 64 bytes are compared")
    func longNames() {
        let name = String(repeating: "a", count: 64)
        let longer = name + String(repeating: "b", count: 20)
        #expect(longer.closest(in: [name]) == name)
        #expect(name.closest(in: [longer]) == longer)
    }
}
