import CaretClient
import CaretCore
import Foundation
import TestSupport
import Testing

@Suite("A client killed while typing") struct KilledTests {
    /// In every second round another client inserts a word, so that kept edits must be rebased.
    @Test("kill -9 of a client neither loses nor repeats edits kept on disk")
    func killed() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "caret-\(UUID().uuidString)")
        // If the removal fails, the folder stays in the system's temporary folder. This harms no test.
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try ServerProcess()
        let rounds = Seeds.share(of: 200, everyCommit: 12)
        var (last, others, words) = (0, 0, 0)
        for round in 0..<rounds {
            var random = Seeded(UInt64(round))
            let writer = try TypingProcess(server.address, folder.path)
            try writer.waitForOutput(lines: 1 + random.number(1...40))
            if round % 2 == 1 {
                others += 1
                try await add("[\(others)]", at: server.address)
            }
            let isWithoutServer = random.chance(40)
            if isWithoutServer {
                server.kill()
                try writer.waitForOutput(lines: random.number(1...40))
            }
            writer.kill()
            if isWithoutServer { try server.start() }
            let found = try #require(writer.numbers(after: "found").first)
            #expect(
                found >= last, "round \(round): word \(last) was kept, but the last word found is \(found)")
            let kept = writer.numbers(after: "kept").last ?? found
            words += kept - last
            last = kept
        }
        let text = try await finalText(server.address, folder.path)
        let pieces = Dictionary(grouping: text.split { $0 == ">" || $0 == "]" }) { $0.first == "[" }
        let typed = pieces[false, default: []].map { Int($0.dropFirst()) }
        #expect(typed == (1...max(last, typed.count)).map { $0 }, "the words of the killed client")
        #expect(pieces[true, default: []].compactMap { Int($0.dropFirst()) }.sorted() == Array(1...others))
        print("kill -9 of a client: \(rounds) rounds, \(words) words kept before the kills, nothing lost")
    }

    private func add(_ word: String, at address: ServerAddress) async throws {
        let client = LiveClient(address)
        let document = try await client.open("shared", creating: true).opened()
        try document.replace(0..<0, with: word)
        try await document.saved()
    }

    /// Lets a new client save the edits that were kept last, and returns the document's final text.
    private func finalText(_ address: ServerAddress, _ folder: String) async throws -> String {
        let client = try LiveClient(address, keepingUnsavedIn: folder)
        try await client.open("shared").saved()
        return try await client.read("shared").text
    }
}

/// A running `client-writer`, and its output so far.
private final class TypingProcess {
    struct Stopped: Error {
        let said: String
    }

    private let program: ChildProgram
    private var said = ""

    init(_ address: ServerAddress, _ folder: String) throws {
        program = try ChildProgram(
            [ChildProgram.path(of: "client-writer"), address.description, folder], output: .pipe)
    }

    /// Waits until the process has printed this many more lines.
    func waitForOutput(lines: Int) throws {
        let wanted = lineCount + lines
        while lineCount < wanted {
            let more = program.nextOutput()
            if more.isEmpty { throw Stopped(said: said) }
            said += String(decoding: more, as: UTF8.self)
        }
    }

    private var lineCount: Int { said.utf8.count { $0 == UInt8(ascii: "\n") } }

    /// Kills the process, and reads the rest of its output.
    func kill() {
        program.kill(SIGKILL)
        said += program.remainingOutput()
    }

    func numbers(after word: String) -> [Int] {
        said.split(separator: "\n").filter { $0.hasPrefix(word + " ") }.compactMap {
            Int($0.dropFirst(word.count + 1))
        }
    }
}
