import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("hub: links to documents")
struct HubLinkTests {
    private let world = ServerWorld { $0.allowsLinks = true }

    private static let add = #"{"type":"add_link","id":1,"doc":"a","rights":"write","seconds":60}"#

    private static let bye = #"{"type":"bye","reason":"revoked"}"#

    /// Makes a link to document `a`, and returns the text of its token.
    private func link(by maker: TestClient, _ rights: String = "write", seconds: Int = 60) throws
        -> ByteString
    {
        let line = maker.askedInFull(
            #"{"type":"add_link","doc":"a","rights":"\#(rights)","seconds":\#(seconds)}"#)[0]
        return ByteString(String(try #require(line.firstMatch(of: /"token":"([^"]+)"/)).1))
    }

    /// A client that has connected with a token.
    private func connect(_ token: ByteString, client: String = "some-client") -> TestClient {
        let result = world.connection()
        result.says(#"{"type":"hello","protocol":1,"client":"\#(client)","token":"\#(token)"}"#)
        return result
    }

    private func ann() throws -> TestClient {
        world.document("a", "x")
        world.document("b", "y")
        let token = try world.store.addToken(
            of: UserName("ann"), Grants(only: Grant(.write, to: .prefix(""))), at: 5)
        let ann = connect(try token.get().bytes, client: "ann-client")
        #expect(ann.hears() == ["welcome"])
        return ann
    }

    /// Rule R8.
    @Test("a link gives its rights on one document, and is listed and ended by who may write it")
    func conversation() throws {
        let ann = try ann()
        #expect(ann.asks(HubLinkTests.add)[0].hasPrefix(#"{"type":"token_added","id":1,"number":2,"#))
        let reader = connect(try link(by: ann, "read"))
        #expect(
            reader.heard()[0].contains(#""features":["follow","squash","exact","blame","notes","links"]"#))
        #expect(reader.askedInFull(#"{"type":"read","doc":"a"}"#)[0].contains(#""text":"x""#))
        #expect(reader.asks(#"{"type":"read","doc":"b"}"#) == ["not_found"])
        #expect(reader.asks(#"{"type":"delete","doc":"a"}"#) == ["forbidden"])
        let listed = ann.askedInFull(#"{"type":"list_links","id":2,"doc":"a","limit":1}"#)
        #expect(
            listed == [
                #"{"type":"tokens","id":2,"tokens":[{"number":2,"user":"link/1/2","created":10000,"expires":70000,"#
                    + #""grants":[{"rights":"write","doc":"a"}]}],"more":true}"#
            ])
        let rest = ann.askedInFull(#"{"type":"list_links","doc":"a","after":2}"#)[0]
        #expect(
            rest.contains(#""number":3,"user":"link/1/3""#) && rest.contains(#""rights":"read","doc":"a""#))
        #expect(ann.askedInFull(#"{"type":"list_links","doc":"b"}"#) == [#"{"type":"tokens","tokens":[]}"#])
        #expect(ann.asks(#"{"type":"end_link","id":3,"doc":"a","number":2}"#) == [#"{"type":"done","id":3}"#])
        #expect(!ann.askedInFull(#"{"type":"list_links","doc":"a"}"#)[0].contains(#""number":2,"#))
    }

    /// Rule R8.
    @Test("links need the right to write, and a server that allows them")
    func rights() throws {
        _ = try ann()
        let bob = world.connect("bob", try #require(Grants([Grant(.read, to: .prefix(""))])))
        let requests = [
            HubLinkTests.add, #"{"type":"list_links","doc":"a"}"#,
            #"{"type":"end_link","doc":"a","number":1}"#,
        ]
        for request in requests {
            #expect(bob.asks(request) == ["forbidden"])
            #expect(world.connect("eve", .none).asks(request) == ["not_found"])
        }
        let closed = ServerWorld()
        closed.document("a", "x")
        let admin = closed.connect("admin")
        for request in requests { #expect(admin.asks(request) == ["forbidden"]) }
    }

    /// Rule R8.
    @Test("a link lasts 1 second to 30 days")
    func life() throws {
        let ann = try ann()
        for (seconds, isAllowed) in [(0, false), (1, true), (2_592_000, true), (2_592_001, false)] {
            let answer = ann.asks(#"{"type":"add_link","doc":"a","rights":"read","seconds":\#(seconds)}"#)
            #expect((answer == ["bad_message"]) == !isAllowed, "\(seconds): \(answer)")
        }
        let token = try link(by: ann, seconds: 5)
        let reader = connect(token)
        world.pass(milliseconds: 5_000)
        #expect(reader.hears() == ["welcome", HubLinkTests.bye])
        #expect(connect(token).hears() == ["unauthorized"])
    }

    /// Rule R9.
    @Test("the user of a link may not make, list or end links, delete the document or see deleted ones")
    func users() throws {
        let ann = try ann()
        let guest = connect(try link(by: ann))
        for request in [
            HubLinkTests.add, #"{"type":"list_links","doc":"a"}"#,
            #"{"type":"end_link","doc":"a","number":1}"#,
            #"{"type":"delete","doc":"a"}"#, #"{"type":"list_deleted"}"#, #"{"type":"undelete","number":2}"#,
        ] {
            #expect(guest.asks(request) == ["forbidden"])
        }
        #expect(guest.askedInFull(#"{"type":"open","doc":"a"}"#)[0].contains(#""rights":"write""#))
    }

    /// Rule R11.
    @Test("a link that is ended ends its connections, and only a link to the document can be ended")
    func ended() throws {
        let ann = try ann()
        let (first, second) = (connect(try link(by: ann)), connect(try link(by: ann), client: "other-client"))
        #expect(first.hears() == ["welcome"])
        #expect(ann.asks(#"{"type":"end_link","doc":"b","number":2}"#) == ["not_found"])
        #expect(ann.asks(#"{"type":"end_link","doc":"a","number":9}"#) == ["not_found"])
        #expect(ann.asks(#"{"type":"end_link","id":4,"doc":"a","number":2}"#) == [#"{"type":"done","id":4}"#])
        #expect(first.hears() == [HubLinkTests.bye])
        #expect(second.asks(#"{"type":"ping","id":5}"#) == [#"{"type":"pong","id":5}"#])
    }

    /// Rule R10.
    @Test("a link that ends between its lookup and the join of its connection gives no rights")
    func endedWhileJoining() throws {
        let token = try link(by: try ann())
        let guest = world.connection()
        guest.send([#"{"type":"hello","protocol":1,"client":"some-client","token":"\#(token)"}"#])
        // The lookup is answered.
        world.step()
        #expect(world.store.rename(DocumentID(1), to: try DocumentName("c")) == .renamed)
        world.run()
        #expect(guest.hears() == ["welcome", HubLinkTests.bye])
    }

    /// Rule R10.
    @Test(
        "a rename and a deletion end all links to the document, whether it is open or not",
        arguments: [#"{"type":"rename","doc":"a","to":"c"}"#, #"{"type":"delete","doc":"a"}"#], [false, true])
    func renamed(change: String, isOpen: Bool) throws {
        let ann = try ann()
        let (token, other) = (try link(by: ann), try link(by: ann, "read"))
        let connected = connect(token)
        if isOpen { _ = connected.asks(#"{"type":"open","doc":"a"}"#) }
        _ = connected.heard()
        _ = ann.asks(change)
        #expect(connected.hears().last == HubLinkTests.bye)
        world.document("a", "secret")
        for token in [token, other] {
            #expect(connect(token).hears() == ["unauthorized"])
        }
        #expect(ann.askedInFull(#"{"type":"list_links","doc":"a"}"#) == [#"{"type":"tokens","tokens":[]}"#])
    }
}
