import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("hub: requests to real rooms")
struct HubWholeRoomTests {
    /// A server with a document at revision 1.
    private func server() -> ServerWorld {
        let world = ServerWorld()
        world.makesRoom = { WholeRoom($0, $1.settings, at: $1.now) }
        world.document("own/a", "one")
        return world
    }

    /// Rule B1.
    @Test("open and push with `create` succeed even if the document exists")
    func createExisting() {
        let ann = server().connect("ann")
        let push = #""doc":"own/a","epoch":"1.1","base":1,"seq":1,"text":"two","create":true"#
        #expect(ann.asks(#"{"type":"push",\#(push)}"#).types == ["ack"])
        #expect(ann.asks(#"{"type":"open","doc":"own/a","create":true}"#) == ["opened"])
    }

    /// Rule O5.
    @Test("select, diverged and pong get an answer only if they are refused")
    func silent() {
        let ann = server().connect("ann")
        let select = #"{"type":"select","id":1,"doc":"own/a","rev":1,"selections":[[0,0]]}"#
        let diverged = #"{"type":"diverged","id":2,"doc":"own/a","rev":1}"#
        for line in [select, diverged] { #expect(ann.asks(line) == ["not_open"]) }
        #expect(ann.asks(#"{"type":"pong","id":{}}"#) == ["bad_message"])
        #expect(ann.asks(#"{"type":"open","doc":"own/a"}"#) == ["opened"])
        for line in [select, diverged, #"{"type":"pong","id":3}"#] { #expect(ann.asks(line) == []) }
    }

    /// Rules R2 and R4.
    @Test("a reader may open, read and select, and gets `forbidden` for writes")
    func readOnly() throws {
        let ann = server().connect("ann", try #require(Grants([Grant(.read, to: .prefix("own/"))])))
        #expect(ann.asks(#"{"type":"open","doc":"own/a","create":true}"#) == ["opened"])
        #expect(ann.asks(#"{"type":"select","doc":"own/a","rev":1,"selections":[[0,0]]}"#) == [])
        #expect(ann.asks(#"{"type":"read","doc":"own/a"}"#).types == ["text"])
        #expect(ann.asks(#"{"type":"history","doc":"own/a"}"#).types == ["revisions"])
        let place = #""epoch":"1.1","base":1,"seq":1"#
        for line in [
            #"{"type":"push","doc":"own/a",\#(place),"edits":[{"range":[0,0],"text":"x"}]}"#,
            #"{"type":"push","doc":"own/a",\#(place),"text":"two"}"#,
            #"{"type":"restore","doc":"own/a","epoch":"1.1","rev":0,"seq":1}"#,
            #"{"type":"open","doc":"own/b","create":true}"#,
            #"{"type":"push","doc":"own/b","base":0,"seq":1,"text":"x","create":true}"#,
            #"{"type":"rename","doc":"own/a","to":"own/c"}"#,
            #"{"type":"rename","doc":"own/b","to":"own/c"}"#,
            #"{"type":"delete","doc":"own/a"}"#, #"{"type":"delete","doc":"own/b"}"#,
        ] {
            #expect(ann.asks(line) == ["forbidden"], "\(line)")
        }
    }

    @Test("a restore is acked with its edits, and without the text")
    func restore() {
        let ann = server().connect("ann")
        _ = ann.asks(#"{"type":"push","doc":"own/a","epoch":"1.1","base":1,"seq":1,"text":"two"}"#)
        let ack = ann.askedInFull(#"{"type":"restore","doc":"own/a","epoch":"1.1","rev":1,"seq":2}"#)
        #expect(ack.line(0).hasPrefix(#"{"type":"ack","doc":"own/a","seq":2,"rev":3,"edits":[{"#))
        #expect(ack.count == 1 && ack.line(0).hasSuffix(#"}]}"#))
    }

    /// A push or restore with its fields. `others` has the fields of messages with the same seq that are not
    /// repeats of it.
    private struct Numbered {
        let type: String
        let fields: String
        let others: [String]
    }

    private static let numbered = [
        Numbered(
            type: "push", fields: #""epoch":"1.1","base":1,"seq":1,"text":"two""#,
            others: [
                #""base":1,"seq":1,"text":"two""#, #""epoch":"1.2","base":1,"seq":1,"text":"two""#,
                #""epoch":"1.1","base":0,"seq":1,"text":"two""#,
                #""epoch":"1.1","base":1,"seq":1,"text":"three""#,
                #""epoch":"1.1","base":1,"seq":1,"edits":[{"range":[0,3],"text":"two"}]"#,
            ]),
        Numbered(
            type: "push", fields: #""epoch":"1.1","base":2,"seq":2,"edits":[{"range":[0,0],"text":"x"}]"#,
            others: [
                #""epoch":"1.1","base":1,"seq":2,"edits":[{"range":[0,0],"text":"x"}]"#,
                #""epoch":"1.1","base":2,"seq":2,"edits":[{"range":[1,1],"text":"x"}]"#,
                #""epoch":"1.1","base":2,"seq":2,"edits":[{"range":[0,0],"text":"y"}]"#,
                #""epoch":"1.1","base":2,"seq":2,"text":"xtwo""#,
            ]),
        Numbered(
            type: "restore", fields: #""epoch":"1.1","rev":1,"seq":3"#,
            others: [#""epoch":"1.1","rev":0,"seq":3"#, #""epoch":"1.2","rev":1,"seq":3"#]),
    ]

    /// Rule P9. The ranges count other units, but their numbers are equal.
    @Test("after a change of unit, the numbers of a push are compared as they were sent")
    func otherUnit() {
        let world = server()
        let push = #"{"type":"push","doc":"own/a","epoch":"1.1","base":2,"seq":2,"#
        let first = world.connect("ann", client: "ann-client", units: "utf-16")
        _ = first.asks(#"{"type":"push","doc":"own/a","epoch":"1.1","base":1,"seq":1,"text":"😀b"}"#)
        _ = first.asks(#"{"type":"open","doc":"own/a"}"#)
        let sent = #""edits":[{"range":[2,2],"text":"x"}]}"#
        #expect(first.asks(push + sent).types == ["ack"])
        let other = world.connect("ann", client: "ann-client", units: "utf-32")
        _ = other.asks(#"{"type":"open","doc":"own/a"}"#)
        let repeated = other.askedInFull(push + sent)
        #expect(
            repeated.types == ["ack"] && repeated.line(0).contains(#""edits":[{"range":[1,1],"text":"x"}]"#))
        #expect(other.asks(push + #""edits":[{"range":[1,1],"text":"x"}]}"#) == ["seq_reused"])
    }

    /// Rule P9.
    @Test("a push repeats another if their seq, epoch, base and content are equal")
    func content() {
        let ann = server().connect("ann")
        _ = ann.asks(#"{"type":"open","doc":"own/a"}"#)
        for message in Self.numbered {
            func asks(_ fields: String) -> [String] {
                ann.asks(#"{"type":"\#(message.type)","doc":"own/a",\#(fields)}"#)
            }
            #expect(asks(message.fields).types == ["ack"])
            for extra in [#""id":7"#, #""want":"text""#, #""create":true"#, #""color":"red""#] {
                let answers = asks(message.fields + "," + extra)
                #expect(
                    answers.types == ["ack"] && answers.line(0).contains(#""duplicate":true"#), "\(extra)")
            }
            for other in message.others { #expect(asks(other) == ["seq_reused"], "\(other)") }
        }
    }
}
