import CaretClient
import CaretCore
import Glibc

/// A process for tests to kill: a person who types word after word, whose client keeps what is unsaved in a folder.
///
/// Word n is `<n>`, and stands behind all that was there when it was typed. On standard output it says, a line each,
/// which word was the last one that it found, and which ones are kept.
@main struct ClientWriter {
    static func main() async throws {
        guard CommandLine.arguments.count == 3, let address = ServerAddress(CommandLine.arguments[1]) else {
            exit(64)
        }
        let client = try CaretClient(address, keepingUnsavedIn: CommandLine.arguments[2])
        let document = try await client.open("shared", creating: true).opened()
        var last = lastWord(in: document.text.string)
        say("found \(last)")
        while true {
            last += 1
            let word = "<\(last)>"
            try document.edit { text in [try Edit(text.end..<text.end, word)] }
            // Most are typed behind others that are not kept yet.
            if last % 4 != 0 { continue }
            try await document.kept()
            say("kept \(last)")
        }
    }

    private static func lastWord(in text: String) -> Int {
        text.split(separator: "<").compactMap { Int($0.prefix { $0 != ">" }) }.max() ?? 0
    }

    /// In one call, so that a line is whole or not there.
    private static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        Glibc.write(STDOUT_FILENO, bytes, bytes.count)
    }
}
