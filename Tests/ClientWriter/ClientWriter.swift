import CaretClient
import CaretCore
import Glibc

/// A process that a test kills. It types word after word, and its client keeps unsaved edits in a folder.
///
/// Word n is `<n>`, appended to the text. On standard output the process prints a line with the last word
/// that it found at the start, and then a line for each word that is kept.
@main struct ClientWriter {
    static func main() async throws {
        guard CommandLine.arguments.count == 3, let address = ServerAddress(CommandLine.arguments[1]) else {
            exit(64)
        }
        let client = try LiveClient(address, keepingUnsavedIn: CommandLine.arguments[2])
        let document = try await client.open("shared", creating: true).opened()
        var last = lastWord(in: document.text.string)
        printLine("found \(last)")
        while true {
            last += 1
            let word = "<\(last)>"
            try document.edit { text in [try Edit(text.end..<text.end, word)] }
            // Waits only at every fourth word, so most words are typed while earlier words are not kept yet.
            if last % 4 != 0 { continue }
            try await document.kept()
            printLine("kept \(last)")
        }
    }

    private static func lastWord(in text: String) -> Int {
        text.split(separator: "<").compactMap { Int($0.prefix { $0 != ">" }) }.max() ?? 0
    }

    /// Prints a line in one call, so that it is complete or missing.
    private static func printLine(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        Glibc.write(STDOUT_FILENO, bytes, bytes.count)
    }
}
