import CaretCore
import Foundation
import TestSupport
import Testing

@Suite("The tutorial for authors of clients", .onOwnThread) struct TutorialTests {
    @Test("the tutorial's functions give the answers of the published fixtures")
    func vectors() throws {
        let tutorial = try Tutorial()
        let carets = tutorial.folder + "/carets.json"
        try Self.caretsWithChanges().write(to: URL(filePath: carets))
        let end = try tutorial.run("vectors.py", Tutorial.fixtures.path, carets)
        let (count, _) = try #require(end.output.last?.parts(around: " cases"), "\(end.errors)")
        #expect(end.status == 0 && Int(count) ?? 0 > 175)
    }

    /// The cases of `carets.json`, each with the diff of its texts. The diff stands for a change that the
    /// client receives from the server.
    private static func caretsWithChanges() throws -> Data {
        let published = try Data(contentsOf: Tutorial.fixtures.appending(path: "carets.json"))
        let json = try JSONSerialization.jsonObject(with: published)
        var fixture = try #require(json as? [String: Any])
        let cases = try #require(fixture["cases"] as? [[String: Any]])
        fixture["cases"] = try cases.map { one in
            let (old, new) = (try #require(one["old"] as? String), try #require(one["new"] as? String))
            let change = diff(from: try TextBuffer(old), to: try TextBuffer(new))
            let edits = change.edits.map { edit -> [String: Any] in
                ["range": [edit.range.lowerBound.value, edit.range.upperBound.value], "text": edit.text]
            }
            return one.merging(["change": edits]) { $1 }
        }
        return try JSONSerialization.data(withJSONObject: fixture)
    }

    @Test("the tutorial's full client passes the published conversations")
    func conversations() throws {
        let folder = Tutorial.fixtures.appending(path: "conversations").path
        let end = try Tutorial().run("conversations.py", folder)
        let (count, _) = try #require(end.output.last?.parts(around: " steps"), "\(end.errors)")
        #expect(end.status == 0 && Int(count) ?? 0 > 200)
    }

    @Test("the tutorial's clients and server get equal texts over a lossy network")
    func simulation() throws {
        let end = try Tutorial().run("simulation.py", "0", "100")
        #expect(end.status == 0, "\(end.errors)")
        #expect(end.output.last?.hasPrefix("100 runs, ") == true)
    }

    @Test("the tutorial's client is as short as the page says")
    func sizes() throws {
        let tutorial = try Tutorial()
        for (name, most) in [("draft.py", 75), ("caret_client.py", 66), ("authority.py", 26)] {
            let lines = try #require(tutorial.blocks[name], "the page has no \(name)")
            #expect(lines.dropFirst().count { !$0.isEmpty } <= most, "\(name)")
        }
    }

    @Test("the tutorial's client loses no text over cut links and a killed server")
    func killed() throws {
        let tutorial = try Tutorial()
        defer { withExtendedLifetime(tutorial) {} }
        var server = try LiveServer()
        var writer = try LetterWriter(server, creating: String(repeating: ".", count: 60))
        let typists = try ["一", "가"].enumerated().map { seed, first in
            try tutorial.program(
                "typist.py", "\(server.port)", LetterWriter.document, first, "\(Self.letters)", "\(seed)",
                readsLines: true)
        }
        for order in ["cut", "whole", "cut"] {
            for typist in typists { _ = try Self.received(typist) }
            try writer.type()
            let unsure = try writer.send()
            try server.kill()
            server = try server.startAgain()
            for typist in typists { try typist.send("port \(server.port)") }
            try writer.resume(on: server, with: unsure)
            for typist in typists { _ = try Self.received(typist) }
            for typist in typists { try typist.send(order) }
            try writer.type()
        }
        for typist in typists { while try Self.received(typist) != "acked" {} }
        let (text, revision) = try writer.read()
        for typist in typists {
            try typist.send("until \(revision)")
            let line = Data(try Self.received(typist).utf8)
            let own = try JSONSerialization.jsonObject(with: line, options: .fragmentsAllowed)
            #expect(own as? String == text)
            typist.endInput()
            #expect(try typist.waitForExit().status == 0)
        }
        let typed = ["一", "가"].flatMap { LetterWriter.letters(from: $0, Self.letters) }
        // Both typists remove the same dots, so the timing decides which dots are left. Only the letters are
        // compared.
        let letters = text.unicodeScalars.filter { $0 != "." }
        let counts = Dictionary(grouping: letters) { $0 }.mapValues(\.count)
        let expected = typed + writer.acked
        #expect(expected.filter { counts[$0] != 1 } == [] && letters.count == expected.count)
    }

    /// The number of letters that each typist types.
    private static let letters = 200

    private static func received(_ typist: Program) throws -> String {
        if let line = try typist.output.next() { return line }
        throw Unexpected("a typist has ended: \(try typist.waitForExit().errors)")
    }

    @Test("the tutorial's program saves typed lines, and prints the text")
    func lines() throws {
        let tutorial = try Tutorial()
        defer { withExtendedLifetime(tutorial) {} }
        let server = try LiveServer()
        for (typed, text) in [(["Milk", "Bread"], ["Milk", "Bread"]), (["Tea"], ["Milk", "Bread", "Tea"])] {
            let program = try tutorial.program(
                "type_lines.py", "127.0.0.1", "\(server.port)", "shopping", readsLines: true)
            for line in typed { try program.send(line) }
            program.endInput()
            let end = try program.waitForExit()
            #expect(end.status == 0 && end.output == text, "\(end.errors)")
        }
    }
}
