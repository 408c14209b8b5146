import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("hub: tokens")
struct HubTokenTests {
    private let world: ServerWorld
    private let root: TokenText

    init() throws {
        world = ServerWorld()
        root = try world.store.addToken(of: UserName("root"), .all, at: 5).get()
    }

    /// Connects a client that sends a hello with this token.
    private func connect(_ token: ByteString, client: String = "some-client", in world: ServerWorld)
        -> TestClient
    {
        let result = world.connection()
        result.says(#"{"type":"hello","protocol":1,"client":"\#(client)","token":"\#(token)"}"#)
        return result
    }

    private func connect(_ token: ByteString, client: String = "some-client") -> TestClient {
        connect(token, client: client, in: world)
    }

    private static let add =
        #"{"type":"add_token","id":1,"user":"ann","grants":[{"rights":"write","doc":"a"}]}"#
    private static let list = #"{"type":"list_tokens","id":2}"#

    /// The token in an answer to `add_token`.
    private func token(in line: String) throws -> ByteString {
        var decoder = MessageDecoder()
        let envelope = try decoder.serverMessage(Array(line.utf8))
        guard case .admin(.tokenAdded(let added)) = envelope?.message else {
            throw Unexpected(what: "no token in \(line)")
        }
        return ByteString(added.token.string)
    }

    @Test("the protocol and the store have the same limits for names and grants")
    func bounds() { #expect(Limits.name == DocumentName.longest && Limits.grants == Grants.most) }

    @Test("a token is added, listed, and revoked")
    func conversation() throws {
        let admin = connect(root.bytes)
        let added = admin.askedInFull(
            #"{"type":"add_token","id":1,"user":"ann","grants":[{"rights":"write","prefix":"notes/"},"#
                + #"{"rights":"read","doc":"agenda"},{"rights":"admin","doc":"a/b"}]}"#)
        let text = try token(in: added[0])
        #expect(added == [#"{"type":"token_added","id":1,"number":2,"token":"\#(text)"}"#])
        let first =
            #"{"number":1,"user":"root","created":5,"last_use":10000,"grants":[{"rights":"admin","prefix":""}]}"#
        let second =
            #"{"number":2,"user":"ann","created":10000,"grants":[{"rights":"write","prefix":"notes/"},"#
            + #"{"rights":"read","doc":"agenda"},{"rights":"admin","doc":"a/b"}]}"#
        #expect(
            admin.askedInFull(HubTokenTests.list) == [
                #"{"type":"tokens","id":2,"tokens":[\#(first),\#(second)]}"#
            ])
        #expect(
            admin.askedInFull(#"{"type":"revoke_token","id":3,"number":2}"#) == [#"{"type":"done","id":3}"#])
        #expect(
            admin.askedInFull(HubTokenTests.list) == [#"{"type":"tokens","id":2,"tokens":[\#(first)]}"#])
        #expect(
            admin.askedInFull(#"{"type":"revoke_token","id":4,"number":2}"#) == [
                #"{"type":"error","id":4,"code":"not_found","message":"there is no token with this number"}"#
            ])
    }

    /// Rules A6 and E4.
    @Test("until its token is revoked, a client has the token's user and rights")
    func bites() throws {
        let admin = connect(root.bytes)
        world.document("a", "x")
        world.document("b", "x")
        let text = try token(in: admin.askedInFull(HubTokenTests.add)[0])
        let ann = connect(text)
        #expect(ann.heard()[0].contains(#""user":"ann""#))
        #expect(ann.asks(#"{"type":"open","doc":"a"}"#) == ["opened"])
        #expect(ann.asks(#"{"type":"open","doc":"b"}"#) == ["not_found"])
        #expect(ann.asks(HubTokenTests.list) == ["forbidden"])
        let other = connect(text, client: "other-client")
        _ = other.heard()
        #expect(admin.asks(#"{"type":"revoke_token","number":2}"#) == [#"{"type":"done"}"#])
        for client in [ann, other] {
            #expect(client.hears() == [#"{"type":"bye","reason":"revoked"}"#])
        }
        #expect(connect(text).hears() == ["unauthorized"])
        #expect(admin.asks(#"{"type":"ping"}"#) == [#"{"type":"pong"}"#])
    }

    /// Rule A6.
    @Test("a client that revokes its own token gets the answer before the bye")
    func ownToken() {
        let admin = connect(root.bytes)
        #expect(
            admin.asks(#"{"type":"revoke_token","number":1}"#) == [
                #"{"type":"done"}"#, #"{"type":"bye","reason":"revoked"}"#,
            ])
    }

    /// Rule A1. A refused request does not reach the store.
    @Test(
        "requests about tokens need the right to administer all documents",
        arguments: try [
            Grant(.write, to: .prefix("")), Grant(.admin, to: .prefix("a")),
            Grant(.admin, to: .document(DocumentName("a"))),
        ])
    func denied(grant: Grant) throws {
        let text = try world.store.addToken(of: UserName("ann"), Grants([grant])!, at: 5).get()
        let ann = connect(text.bytes)
        for line in [
            HubTokenTests.list, HubTokenTests.add, #"{"type":"add_token","user":"","grants":[]}"#,
            #"{"type":"revoke_token","number":1}"#, #"{"type":"revoke_token","number":99}"#,
        ] {
            #expect(ann.asks(line) == ["forbidden"])
        }
        #expect(world.calls.isEmpty)
    }

    @Test("a token's user and documents need valid names, its prefixes do not")
    func names() {
        let admin = connect(root.bytes)
        func add(_ user: String, _ scope: String) -> [String] {
            admin.askedInFull(
                #"{"type":"add_token","id":1,"user":"\#(user)","grants":[{"rights":"read","prefix":"/ "},"#
                    + #"{"rights":"read",\#(scope)}]}"#)
        }
        #expect(
            add("a//b", #""doc":"a""#) == [
                #"{"type":"error","id":1,"code":"bad_name","message":"user: the name has a part (number 1, counted from 0) that is empty, \".\" or \"..\""}"#
            ])
        #expect(
            add("a", #""doc":"""#) == [
                #"{"type":"error","id":1,"code":"bad_name","message":"grants[1].doc: the name is empty"}"#
            ])
        #expect(world.calls.isEmpty)
        #expect(add("a/b", #""prefix":"a//\u0001""#)[0].contains("token_added"))
    }

    @Test("if the disk fails, adding and revoking fail, and tokens stay valid")
    func trouble() throws {
        let admin = connect(root.bytes)
        let ann = connect(try token(in: admin.askedInFull(HubTokenTests.add)[0]))
        _ = ann.heard()
        for (trouble, code) in [(StoreModel.Trouble.full, "storage_full"), (.failed, "storage_failed")] {
            world.store.trouble = trouble
            #expect(admin.asks(HubTokenTests.add) == [code])
            #expect(admin.asks(#"{"type":"revoke_token","number":2}"#) == [code])
            #expect(ann.asks(#"{"type":"ping"}"#) == [#"{"type":"pong"}"#])
        }
    }

    /// Rule A5. If the store cannot read any token, the answer is `damaged`.
    @Test("a damaged token is listed as damaged, and can be revoked")
    func damaged() {
        let admin = connect(root.bytes)
        _ = admin.asks(HubTokenTests.add)
        world.store.damage(TokenID(2))
        let page = #"{"type":"list_tokens","after":1}"#
        #expect(admin.asks(page) == [#"{"type":"tokens","tokens":[{"number":2,"damaged":true}]}"#])
        #expect(admin.asks(#"{"type":"revoke_token","number":2}"#) == [#"{"type":"done"}"#])
        world.holds = { _ in true }
        _ = admin.asks(page)
        world.hubEvent(.answered(CallID(4), .tokens(.listed(.failure(.damaged)))))
        world.run()
        #expect(admin.hears() == ["damaged"])
    }

    /// Rule D1.
    @Test("a page of tokens ends at its limit, but has at least one token")
    func pages() throws {
        let item = #"{"number":2,"user":"ann","created":5,"grants":[{"rights":"admin","prefix":""}]}"#
        // The item of root's token, which is listed first, has one byte more, and a last use.
        let (bytes, first) = (item.utf8.count, item.utf8.count + 1 + #""last_use":10000,"#.utf8.count)
        for (page, counts) in [
            (1, [1, 1, 1]), (first + bytes + 1, [2, 1]), (first + bytes, [2, 1]),
            (first + bytes - 1, [1, 2]),
        ] {
            let world = ServerWorld { $0.page = page }
            let root = try world.store.addToken(of: UserName("root"), .all, at: 5).get()
            for _ in 0..<2 { _ = try world.store.addToken(of: UserName("ann"), .all, at: 5).get() }
            let admin = connect(root.bytes, in: world)
            #expect(try pages(of: admin, limit: 9) == counts, "\(page)")
        }
        let admin = connect(root.bytes)
        for _ in 0..<4 { _ = admin.asks(HubTokenTests.add) }
        #expect(try pages(of: admin, limit: 2) == [2, 2, 1])
        #expect(try pages(of: admin, limit: 5) == [5])
    }

    /// The number of tokens on each page.
    private func pages(of admin: TestClient, limit: Int) throws -> [Int] {
        var (counts, after, decoder) = ([Int](), 0, MessageDecoder())
        while true {
            let line = admin.askedInFull(#"{"type":"list_tokens","after":\#(after),"limit":\#(limit)}"#)[0]
            guard case .admin(.tokens(let page)) = try decoder.serverMessage(Array(line.utf8))?.message else {
                throw Unexpected(what: "no page: \(line)")
            }
            #expect(page.tokens.map(\.number) == (0..<page.tokens.count).map { after + 1 + $0 })
            counts.append(page.tokens.count)
            after = page.tokens.last?.number ?? after
            if !page.hasMore { return counts }
        }
    }

    @Test("a list of tokens is refused if the requester lost the right meanwhile")
    func rightGone() {
        let admin = connect(root.bytes)
        world.holds = { _ in true }
        _ = admin.asks(HubTokenTests.list)
        world.hubEvent(.grantsChanged(Grants([])!, TokenID(1)))
        world.release()
        #expect(admin.hears() == ["forbidden"])
    }

    @Test("a shutdown refuses a token list, but lets adding and revoking finish")
    func shutdown() throws {
        for (line, answer) in [
            (HubTokenTests.list, "shutting_down"), (HubTokenTests.add, "token_added"),
            (#"{"type":"revoke_token","number":2}"#, "done"),
        ] {
            let world = ServerWorld()
            let root = try world.store.addToken(of: UserName("root"), .all, at: 5).get()
            _ = try world.store.addToken(of: UserName("ann"), .all, at: 5).get()
            let admin = connect(root.bytes, in: world)
            world.holds = { _ in true }
            _ = admin.asks(line)
            world.hubEvent(.shutDown(retryAfterMilliseconds: nil))
            world.run()
            world.release()
            let heard = admin.heard()
            #expect(heard.count == 2 && heard[0].contains(answer) && heard[1].contains("bye"), "\(heard)")
        }
    }
}
