import Foundation
import TestSupport
import Testing

/// Folders that an earlier release has written, in `Tests/Fixtures/releases`.
@Suite("Folders of earlier releases") struct ReleaseTests {
    /// A copy of a recorded release, with today's server on its data folder.
    private final class Release {
        let session: CommandSession
        let expected: Expected

        init(_ name: String) throws {
            session = try CommandSession(nil)
            let archive = ReleaseTests.folder.appending(path: name).path
            let unpacked = try Run(
                "/usr/bin/tar", ["-xzf", archive, "-C", session.folder.path], input: "", environment: [:])
            try #require(unpacked.status == 0, "\(unpacked.errors)")
            let file = session.folder.appending(path: "expected.json")
            expected = try JSONDecoder().decode(Expected.self, from: Data(contentsOf: file))
            try start()
        }

        func start() throws { try session.start(["--require-tokens"]) }

        /// What `caret` prints. The command must succeed.
        func caret(_ arguments: String..., input: String = "", token: String? = nil) throws -> String {
            let run =
                if let token {
                    try session.caret(arguments, input: input, environment: ["CARET_TOKEN": token])
                } else {
                    try session.caret(arguments + ["--data", session.data], input: input)
                }
            try #require(run.status == 0, "\(arguments): \(run.output)\(run.errors)")
            return run.output
        }

        func rows(_ arguments: String...) throws -> [Row] {
            let run = try session.caret(arguments + ["--data", session.data])
            try #require(run.status == 0, "\(arguments): \(run.errors)")
            return try run.output.split(separator: "\n").map {
                try JSONDecoder().decode(Row.self, from: Data($0.utf8))
            }
        }
    }

    /// What the release itself has said about its documents.
    private struct Expected: Decodable {
        /// By `NAME@REVISION`.
        let texts: [String: String]
        let logs: [String: [Row]]
        let blamed: [String: [Row]]
        /// By user.
        let tokens: [String: String]
        let deleted: [String: String]
    }

    /// A line of `caret log --json` or `caret blame --json`, with the fields that all releases print.
    private struct Row: Decodable, Equatable {
        let rev: Int
        let user: String?
        let time: String?
        let client: String?
        let inserted: Int?
        let deleted: Int?
        let line: Int?
        let text: String?
    }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()
        .appending(path: "Fixtures/releases")

    static let names =
        (try? FileManager.default.contentsOfDirectory(atPath: folder.path))?
        .filter { $0.hasSuffix(".tar.gz") }.sorted() ?? []

    @Test("there is at least one") func recorded() { #expect(!ReleaseTests.names.isEmpty) }

    @Test("every text, revision, author and line is as the release has left it", arguments: names)
    func texts(name: String) throws {
        let release = try Release(name)
        let expected = release.expected
        #expect(expected.texts.count > 30 && expected.logs.count > 7)
        for (point, text) in expected.texts {
            #expect(try release.caret("cat", point) == text, "\(point)")
        }
        for (document, log) in expected.logs {
            #expect(try release.rows("log", document, "--json").prefix(log.count) == log[...], "\(document)")
        }
        for (document, lines) in expected.blamed {
            #expect(try release.rows("blame", document, "--json") == lines, "\(document)")
        }
        #expect(try release.caret("verify").hasPrefix("sound: "))
    }

    @Test("its documents can be edited, with its tokens, and its deleted ones come back", arguments: names)
    func edits(name: String) throws {
        let release = try Release(name)
        for (document, text) in release.expected.deleted {
            _ = try release.caret("undelete", document)
            #expect(try release.caret("cat", document) == text)
        }
        for (user, token) in release.expected.tokens {
            // Beside what others have changed since the revision that the text was made from.
            let base = try #require(release.expected.texts["notes/agenda@1"])
            _ = try release.caret(
                "put", "notes/agenda", "--base", "1", input: "\(user): \(base)", token: token)
            #expect(try release.rows("log", "notes/agenda", "--json").first?.user == user)
        }
        let text = try release.caret("cat", "notes/agenda")
        #expect(text.contains("ann: ") && text.contains("ben: ") && text.contains("- cake\n"))
        // Also after a second start, which finds a folder of this version.
        release.session.stop()
        try release.start()
        #expect(try release.caret("cat", "notes/agenda") == text)
        #expect(try release.caret("verify").hasPrefix("sound: "))
    }

    @Test("a synced folder goes on, and merges what was edited on both sides meanwhile", arguments: names)
    func sync(name: String) throws {
        let release = try Release(name)
        let synced = release.session.folder.appending(path: "synced")
        let file = synced.appending(path: "agenda")
        let old = try String(contentsOf: file, encoding: .utf8)
        try (old + "- here\n").write(to: file, atomically: true, encoding: .utf8)
        _ = try release.caret("put", "notes/agenda", input: "There\n" + old)
        _ = try release.caret("sync", synced.path, "notes", "--once")
        let merged = "There\n" + old + "- here\n"
        #expect(try String(contentsOf: file, encoding: .utf8) == merged)
        #expect(try release.caret("cat", "notes/agenda") == merged)
        for name in ["back", "lines", "second name"] {
            let text = try String(contentsOf: synced.appending(path: name), encoding: .utf8)
            #expect(try release.caret("cat", "notes/\(name)") == text)
        }
    }
}
