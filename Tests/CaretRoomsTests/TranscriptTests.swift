import CaretConfig
import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("The session in docs/protocol/README.md")
struct TranscriptTests {
    /// A server with the client ids, documents and time of the example session in the page.
    private static func server() throws -> ServerWorld {
        let settings = ConnectionSettings.sample(Limits(), server: WireString("caret/\(Version.number)")) {
            pusher in
            pusher.client == "alice-7f21" ? "p-81c2" : "p-00d1"
        }
        let world = ServerWorld(settings)
        world.now = 1_790_000_000_000
        world.store = StoreModel(generation: try #require(UInt64("k2v9", radix: 36)))
        world.anonymous = Identity(user: "anonymous", token: 0, grants: .all)
        world.makesRoom = { WholeRoom($0, $1.settings, at: $1.now) }
        return world
    }

    @Test("a server sends exactly the lines that the page shows")
    func session() throws {
        let world = try TranscriptTests.server()
        let client = world.connection()
        let steps = try Transcript.inProtocol()
        #expect(steps.count >= 10)
        var heard: [String] = []
        for step in steps {
            switch step {
            case .says(let line):
                #expect(heard.isEmpty, "this is not shown")
                client.says(line)
            case .hears(let shown):
                let line = try #require(heard.first, "the server did not send \(shown)")
                heard.removeFirst()
                #expect(Transcript.isShown(line, by: shown), "the server says \(line)")
            case .otherPushes(let text): try push(text, to: world)
            case .maps(let old, let new):
                let change = try #require(steps.compactMap(\.change).last)
                #expect(Selection(old).mapped(through: change) == Selection(new))
                #expect(try selections(in: world) == [WireSelection(new.lowerBound, new.upperBound)])
            }
            heard += client.heard()
        }
        #expect(heard.isEmpty, "this is not shown")
    }

    private func somebodyElse(in world: ServerWorld) -> TestClient {
        let client = world.connection()
        client.says(#"{"type":"hello","protocol":1,"client":"bob-00d1"}"#)
        _ = client.heard()
        return client
    }

    private func push(_ text: String, to world: ServerWorld) throws {
        let push = Push(
            document: "agenda", epoch: "k2v9.1", base: 1, seq: 1, content: .text(WireString(text)))
        var writer = JSONWriter()
        ClientMessage.push(push).encode(id: nil, into: &writer)
        let answer = somebodyElse(in: world).askedInFull(
            String(decoding: writer.bytes.dropLast(), as: UTF8.self))
        #expect(answer.types == ["ack"])
    }

    /// The selections of other clients that a new client receives.
    private func selections(in world: ServerWorld) throws -> [WireSelection] {
        let answer = somebodyElse(in: world).askedInFull(#"{"type":"open","doc":"agenda"}"#)
        guard case .opened(let opened) = try message(answer.line(0)) else { return [] }
        return opened.peers.flatMap(\.selections)
    }

    @Test("the comparison detects a line that differs from the shown one")
    func differences() {
        let shown = #"{"a":{…},"b":[1]}"#
        #expect(Transcript.isShown(#"{"a":{"c":2},"b":[1]}"#, by: shown))
        for line in [
            #"{"a":{"c":2},"b":[1] }"#, #"{"a":{"c":2},"d":{},"b":[1]}"#, #"{"a":{"c":2},"b":[1]"#,
            #"{"b":[1],"a":{}}"#, "",
        ] {
            #expect(!Transcript.isShown(line, by: shown), "\(line)")
        }
        #expect(throws: Transcript.Unreadable.self) { try Transcript.step("(somebody dances)") }
    }
}

private func message(_ line: String) throws -> ServerMessage? {
    var decoder = MessageDecoder()
    return try decoder.serverMessage(Array(line.utf8))?.message
}

extension Selection {
    fileprivate init(_ range: Range<Int>) {
        self.init(anchor: Offset(range.lowerBound), head: Offset(range.upperBound))
    }
}

extension Transcript.Step {
    /// The change in this line, if the page shows it as a line of the server that contains a change.
    fileprivate var change: Change? {
        guard case .hears(let line) = self, case .change(let change)? = try? message(line) else { return nil }
        return try? Change(
            change.edits.map { try Edit(Offset($0.range.start)..<Offset($0.range.end), $0.text.string) })
    }
}
