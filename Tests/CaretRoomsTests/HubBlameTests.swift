import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("hub: who changed each line")
struct HubBlameTests {
    private static let author = #""user":"root","client":"p-root-client""#

    /// Rules D22 and D23.
    @Test("the answer has ranges of lines, with their revisions, authors and times")
    func ranges() {
        let world = ServerWorld()
        world.document("a", "1\n2\n3\n", "1\nx\n3\n", "1\nx\n3\n4\n")
        let ann = world.connect("ann")
        func line(_ line: Int, _ count: Int, _ revision: Int) -> String {
            #"{"line":\#(line),"lines":\#(count),"rev":\#(revision),\#(Self.author),"time":\#(revision)000}"#
        }
        let start = #"{"type":"blamed","id":6,"doc":"a","epoch":"1.1","#
        #expect(
            ann.askedInFull(#"{"type":"blame","id":6,"doc":"a"}"#) == [
                start
                    + #""rev":3,"ranges":[\#(line(1, 1, 1)),\#(line(2, 1, 2)),\#(line(3, 1, 1)),\#(line(4, 1, 3))]}"#
            ])
        #expect(
            ann.askedInFull(#"{"type":"blame","id":6,"doc":"a","rev":1}"#) == [
                start + #""rev":1,"ranges":[\#(line(1, 3, 1))]}"#
            ])
        #expect(
            ann.askedInFull(#"{"type":"blame","id":6,"doc":"a","rev":1,"after":1}"#) == [
                start + #""rev":1,"ranges":[\#(line(2, 2, 1))]}"#
            ])
        #expect(
            ann.askedInFull(#"{"type":"blame","id":6,"doc":"a","after":1,"limit":2}"#) == [
                start + #""rev":3,"ranges":[\#(line(2, 1, 2)),\#(line(3, 1, 1))],"more":true}"#
            ])
        #expect(
            ann.askedInFull(#"{"type":"blame","id":6,"doc":"a","rev":0}"#) == [
                start + #""rev":0,"ranges":[]}"#
            ])
    }

    @Test("lines older than the kept history have no author")
    func trimmed() {
        let world = ServerWorld()
        let id = world.document("a", "1\n2\n", "1\nx\n")
        #expect(world.store.trim(id, through: 1) == .trimmed(start: 1))
        let ann = world.connect("ann")
        #expect(
            ann.askedInFull(#"{"type":"blame","doc":"a"}"#)[0].contains(
                #""ranges":[{"line":1,"lines":1,"rev":1},{"line":2,"lines":1,"rev":2,\#(Self.author),"time":2000}]"#
            ))
        #expect(ann.asks(#"{"type":"blame","doc":"a","rev":0}"#) == ["base_trimmed"])
    }

    @Test("the answer contains what the client has pushed before")
    func ownPushes() {
        for seed in 0..<UInt64(50) {
            let world = ServerWorld(seed: seed)
            world.makesRoom = { WholeRoom($0, $1.settings, at: $1.now) }
            world.document("a", "x")
            let ann = world.connect("ann")
            ann.says(#"{"type":"open","doc":"a"}"#)
            _ = ann.heard()
            ann.send([
                #"{"type":"push","doc":"a","epoch":"1.1","base":1,"seq":1,"edits":[{"range":[1,1],"text":"\ny"}]}"#,
                #"{"type":"blame","id":2,"doc":"a"}"#,
            ])
            world.run()
            #expect(ann.heard().contains { $0.contains(#""id":2,"doc":"a","epoch":"1.1","rev":2,"#) })
        }
    }

    @Test("a page has at most as many bytes as other pages")
    func bytes() {
        let world = ServerWorld { $0.page = 300 }
        world.document("a", "1\n", "1\n2\n", "1\n2\n3\n", "1\n2\n3\n4\n", "1\n2\n3\n4\n5\n")
        let ann = world.connect("ann")
        var (after, pages) = (0, 0)
        while true {
            let answer = ann.askedInFull(#"{"type":"blame","doc":"a","after":\#(after)}"#)[0]
            #expect(answer.utf8.count < 300 + 80)
            pages += 1
            after += answer.matches(of: /"lines":1/).count
            if !answer.contains(#""more":true"#) { break }
        }
        #expect(after == 5 && pages > 1)
    }

    @Test("what cannot be answered is refused")
    func refusals() {
        let world = ServerWorld()
        world.document("a/1", "x")
        world.document("b/1", "y")
        let reader = Grants([Grant(.read, to: .prefix("a"))])!
        let eve = world.connect("eve", reader)
        #expect(eve.asks(#"{"type":"blame","doc":"a/1"}"#)[0].contains(#""rev":1,"ranges":[{"#))
        #expect(eve.asks(#"{"type":"blame","doc":"b/1"}"#) == ["not_found"])
        #expect(eve.asks(#"{"type":"blame","doc":"a/2"}"#) == ["not_found"])
        #expect(eve.asks(#"{"type":"blame","doc":""}"#) == ["bad_name"])
        #expect(eve.asks(#"{"type":"blame","doc":"a/1","rev":2}"#) == ["base_ahead"])
        for fields in [#""rev":-1"#, #""rev":"1""#, #""limit":0"#, #""limit":1001"#, #""after":"x""#] {
            #expect(eve.asks(#"{"type":"blame","doc":"a/1",\#(fields)}"#) == ["bad_message"], "\(fields)")
        }
        world.refuses = { if case .blame = $0 { true } else { false } }
        #expect(eve.asks(#"{"type":"blame","doc":"a/1"}"#) == ["storage_failed"])
    }

    /// Rule D24.
    @Test("a text with more than 250,000 lines is refused, and the message has this number")
    func tooManyLines() {
        let world = ServerWorld()
        let most = String(repeating: "x\n", count: BlamedText.mostLines)
        world.document("a", most, most + "x")
        let ann = world.connect("ann")
        #expect(ann.asks(#"{"type":"blame","doc":"a","rev":1}"#)[0].contains(#""lines":250000"#))
        let refused = ann.askedInFull(#"{"type":"blame","doc":"a"}"#)[0]
        #expect(refused.contains(#""code":"too_large""#) && refused.contains("250000 lines"))
    }

    /// Rule D24.
    @Test("4 requests are under way at the same time, and the others wait in order")
    func turns() {
        let world = ServerWorld()
        world.document("a", "x")
        var calls = 0
        world.holds = {
            guard case .blame = $0 else { return false }
            calls += 1
            return true
        }
        let clients = (0..<HubState.mostBlames + 3).map { world.connect("user\($0)") }
        for client in clients {
            #expect(client.hears() == ["welcome"])
            client.says(#"{"type":"blame","id":1,"doc":"a"}"#)
        }
        #expect(calls == HubState.mostBlames && clients.allSatisfy { $0.hears().isEmpty })
        // Another request is answered meanwhile, and one that left has no turn.
        #expect(world.connect("eve").asks(#"{"type":"read","doc":"a"}"#)[0].contains(#""text":"x""#))
        clients[HubState.mostBlames].lose()
        world.release()
        for (index, client) in clients.enumerated() where index != HubState.mostBlames {
            #expect(client.hears().count == 1, "client \(index)")
        }
        #expect(calls == HubState.mostBlames)
    }

    @Test("when the server stops, requests that wait are refused")
    func shutDown() {
        let world = ServerWorld()
        world.document("a", "x")
        world.holds = { if case .blame = $0 { true } else { false } }
        let clients = (0..<HubState.mostBlames + 1).map { world.connect("user\($0)") }
        for client in clients { client.says(#"{"type":"blame","id":1,"doc":"a"}"#) }
        for client in clients { _ = client.heard() }
        world.hubEvent(.shutDown(retryAfterMilliseconds: nil))
        world.run()
        for client in clients { #expect(client.hears().contains("shutting_down")) }
    }
}
