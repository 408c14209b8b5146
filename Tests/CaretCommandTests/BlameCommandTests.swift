import CaretClient
import CaretCommand
import CaretCore
import Foundation
import TestSupport
import Testing

@Suite("Who changed each line, from the server or from its history") struct BlameCommandTests {
    @Test(
        "the server's answer is that of the downloaded history, at random revisions", arguments: 0..<UInt64(6)
    )
    func equalAnswers(seed: UInt64) async throws {
        let session = try CommandSession()
        let clients = (0..<2).map { _ in LiveClient(session.socket) }
        var random = Seeded(seed)
        var text = try await clients[0].push("one\ntwo\n", to: "a", creating: true).revision
        for _ in 0..<60 {
            let client = random.pick(clients)
            let old = try await client.read("a")
            var lines = old.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            for _ in 0...random.number(0...2) {
                let at = random.number(0...lines.count - 1)
                switch random.number(0...3) {
                case 0 where lines.count > 1: lines.remove(at: at)
                case 1: lines[at] += "é😀"
                default: lines.insert("\(random.number(0...99))", at: at)
                }
            }
            text = try await client.push(lines.joined(separator: "\n"), to: "a", since: old).revision
        }
        func compare(from start: Int) async throws {
            for _ in 0..<8 {
                let revision = Revision(random.number(start...text.value))
                let version = try await clients[0].read("a", at: .revision(revision))
                let answer = try await clients[0].blamedLines(of: version)
                #expect(try await clients[0].downloadedLines(of: version) == answer, "revision \(revision)")
            }
        }
        try await compare(from: 0)
        let start = random.number(1...text.value)
        let trim = try session.caret(["trim", "a@\(start)", "--yes"])
        #expect(trim.status == 0, "\(trim)")
        try await compare(from: start)
    }

    @Test("the answer has several pages if the text has many ranges")
    func pages() async throws {
        let session = try CommandSession()
        let client = LiveClient(session.socket)
        let lines = (0..<2_400).map { "line \($0)" }
        try await client.push(lines.joined(separator: "\n"), to: "a", creating: true)
        let changed = lines.enumerated().map { $0 % 2 == 0 ? $1 : $1 + "!" }
        let version = try await client.read("a")
        try await client.push(changed.joined(separator: "\n"), to: "a", since: version)
        let run = try session.caret(["blame", "a"])
        let found = run.output.split(separator: "\n").map { $0.split(separator: "\t") }
        #expect(run.status == 0 && found.count == 2_400, "\(run.errors)")
        for (index, fields) in found.enumerated() {
            #expect(fields.first == (index % 2 == 0 ? "1" : "2") && fields.last == changed[index][...])
        }
    }

    private static let text = #""type":"text","doc":"a","epoch":"e","rev":1,"text":"x\ny\n","newline":"lf""#
    private static let revisions =
        #""type":"revisions","doc":"a","revisions":[{"rev":1,"user":"ann","client":"p-2","time":1000,"inserted":4,"deleted":0,"edits":[{"range":[0,0],"text":"x\ny\n"}]}]"#
    private static let empty = #""type":"text","doc":"a","epoch":"e","rev":0,"text":"","newline":"lf""#
    private static let lines = "1\tann\t1970-01-01T00:00:01.000Z\tx\n1\tann\t1970-01-01T00:00:01.000Z\ty\n"

    private func welcome(_ features: String) -> String {
        #""type":"welcome","protocol":1,"unit":"utf-16","server":"fake","user":"admin","client":"p-1","features":[\#(features)],"limits":{},"ping":20"#
    }

    @Test("from a server without the feature, and for a text that is too large, the history is downloaded")
    func downloaded() throws {
        let session = try CommandSession(nil)
        for features in ["", #""blame""#] {
            let fake = try FakeServer(
                in: session,
                inTurn: [
                    "hello": [welcome(features)], "read": [Self.text, Self.empty],
                    "history": [Self.revisions],
                    // Without the feature, this answer would end the command.
                    "blame": features.isEmpty
                        ? [""] : [#""type":"error","code":"too_large","message":"too many lines""#],
                ])
            let run = try session.caret(["blame", "a", "--socket", fake.path])
            #expect(run.output == Self.lines && run.status == 0, "\(run)")
            try FileManager.default.removeItem(atPath: fake.path)
        }
    }

    @Test("a server with the feature is asked, and sends no history")
    func asked() throws {
        let session = try CommandSession(nil)
        let author = #""user":"ann","client":"p-2","time":1000"#
        let start = #""type":"blamed","doc":"a","epoch":"e","rev":1,"ranges""#
        let fake = try FakeServer(
            in: session,
            inTurn: [
                "hello": [welcome(#""blame""#)], "read": [Self.text], "history": [""],
                "blame": [
                    start + #":[{"line":1,"lines":1,"rev":1,\#(author)}],"more":true"#,
                    start + #":[{"line":2,"lines":1,"rev":1,\#(author)}]"#,
                ],
            ])
        let run = try session.caret(["blame", "a", "--socket", fake.path])
        #expect(run.output == Self.lines && run.status == 0, "\(run)")
    }

    @Test(
        "an answer that does not fit the text is an error",
        arguments: [
            (#""epoch":"e","rev":1,"ranges":[{"line":1,"lines":3,"rev":1}]"#, "not those of the text"),
            (#""epoch":"e","rev":1,"ranges":[{"line":1,"lines":1,"rev":1}]"#, "not those of the text"),
            (#""epoch":"e","rev":1,"ranges":[{"line":2,"lines":1,"rev":1}]"#, "not those of the text"),
            (#""epoch":"e","rev":1,"ranges":[{"line":1,"lines":0,"rev":1}]"#, "not those of the text"),
            (#""epoch":"e","rev":1,"ranges":[],"more":true"#, "not those of the text"),
            (#""epoch":"f","rev":1,"ranges":[{"line":1,"lines":2,"rev":1}]"#, "a new history"),
        ])
    func unfitting(answer: String, message: String) throws {
        let session = try CommandSession(nil)
        let fake = try FakeServer(
            in: session,
            [
                "hello": welcome(#""blame""#), "read": Self.text,
                "blame": #""type":"blamed","doc":"a",\#(answer)"#,
            ])
        let run = try session.caret(["blame", "a", "--socket", fake.path])
        #expect(run.status == 1 && run.errors.contains(message), "\(run)")
    }
}
