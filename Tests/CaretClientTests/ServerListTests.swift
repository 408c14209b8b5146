import CaretClient
import CaretReplica
import CaretWire
import Testing

@Suite("A client with several servers") struct ServerListTests {
    private static let (first, second, third) = (
        ClientConversation.address, ServerAddress.tcp(host: "example.org", port: 8),
        ServerAddress.unix(path: "/run/caretd.sock")
    )
    private static let (two, three) = ([first, second], [first, second, third])

    private let list = ClientMessage.list(List())
    private let rename = ClientMessage.rename(Rename(document: "a", to: "b"))
    private let copy = ClientMessage.tags(.copy(CopyDocument(document: "a", to: "b")))

    /// Ends the connection that is welcomed, as a server that stops does.
    private func shutDown(_ talk: inout ClientConversation) -> [ClientAction] {
        #expect(talk.receive(.bye(Bye(reason: .shuttingDown))) == [])
        return talk.disconnect()
    }

    @Test("if a server cannot be reached, the client tries the next one at once")
    func unreachable() {
        var talk = ClientConversation(servers: Self.three)
        #expect(talk.start() == [.connect(to: Self.first, within: 3_000), .wake(3_000)])
        let refused = DisconnectReason.unreachable("refused")
        #expect(talk.disconnect(refused) == [.disconnect, .connect(to: Self.second, within: 3_000)])
        #expect(talk.disconnect(refused) == [.disconnect, .connect(to: Self.third, within: 10_000)])
        #expect(talk.disconnect(refused) == [.disconnect, .wake(250)])
        #expect(talk.state.link == .waiting(until: Moment(milliseconds: 250)))
        #expect(talk.wait(250) == [.connect(to: Self.first, within: 3_000), .wake(3_250)])
    }

    @Test("a server that does not answer is given up after three seconds")
    func silent() {
        for isConnected in [false, true] {
            var talk = ClientConversation(servers: Self.two)
            _ = talk.start()
            if isConnected { _ = talk.connected() }
            #expect(talk.wait(2_999) == [])
            #expect(
                talk.wait(1) == [
                    .disconnect, .connect(to: Self.second, within: 10_000), .wake(13_000),
                ])
        }
    }

    @Test("after `bye` with `shutting_down`, the client connects to the next server at once, each time")
    func rollingRestart() {
        var talk = ClientConversation.welcomed(by: Self.three)
        for next in [Self.second, Self.third, Self.first, Self.second] {
            _ = talk.wait(600)
            #expect(shutDown(&talk).prefix(2) == [.disconnect, .connect(to: next, within: 3_000)])
            _ = talk.connected()
            guard case .welcomed = talk.receive(ClientConversation.welcome).first else {
                Issue.record("the client was not welcomed")
                return
            }
        }
    }

    @Test("a lost connection needs no `bye`")
    func lost() {
        var talk = ClientConversation.welcomed(by: Self.two)
        _ = talk.wait(600)
        #expect(talk.disconnect(.ended) == [.disconnect, .connect(to: Self.second, within: 10_000)])
    }

    @Test("servers that end each connection soon are tried again only after a delay")
    func shortConnections() {
        var talk = ClientConversation.welcomed(by: Self.two)
        #expect(shutDown(&talk) == [.disconnect, .connect(to: Self.second, within: 10_000)])
        _ = talk.connected()
        _ = talk.receive(ClientConversation.welcome)
        #expect(shutDown(&talk) == [.disconnect, .wake(250)])
    }

    @Test("requests without an answer are sent to the next server, if they can be repeated")
    func requests() {
        var talk = ClientConversation.welcomed(by: Self.two)
        #expect(talk.request(list) == [.send(list, 1)])
        #expect(talk.request(rename) == [.send(rename, 2)])
        #expect(talk.request(copy) == [.send(copy, 3)])
        _ = talk.wait(600)
        #expect(
            talk.disconnect() == [.disconnect, .lost(2), .lost(3), .connect(to: Self.second, within: 10_000)])
        _ = talk.connected()
        #expect(talk.receive(ClientConversation.welcome).dropFirst() == [.send(list, 1)])
    }

    @Test("a server that refuses the client is not left for another one", arguments: [true, false])
    func refused(reconnects: Bool) {
        var talk = ClientConversation(servers: Self.two, reconnects: reconnects)
        _ = talk.start()
        _ = talk.connected()
        let error = ErrorReport(.unauthorized, "the token is unknown")
        #expect(talk.receive(.error(error)) == [.disconnect, .end(.refused(ServerRefusal(error)))])
    }

    @Test("a server that cannot serve the client now is left for another one", arguments: [true, false])
    func overloaded(reconnects: Bool) {
        var talk = ClientConversation(servers: Self.two, reconnects: reconnects)
        _ = talk.start()
        _ = talk.connected()
        let error = ErrorReport(.overloaded, "too many connections", retryAfterMilliseconds: 9_000)
        #expect(
            talk.receive(.error(error)).prefix(2) == [
                .disconnect, .connect(to: Self.second, within: 10_000),
            ])
    }

    @Test("a client that does not reconnect tries each server once, and names all of them")
    func oneShot() {
        var talk = ClientConversation(servers: Self.two, reconnects: false)
        _ = talk.start()
        #expect(
            talk.disconnect(.unreachable("connection refused")) == [
                .disconnect, .connect(to: Self.second, within: 10_000),
            ])
        let fault = ConnectionFault.allUnreachable([
            UnreachableServer(address: Self.first, reason: "connection refused"),
            UnreachableServer(address: Self.second, reason: "no answer within 10 s"),
        ])
        #expect(talk.wait(10_000) == [.disconnect, .end(fault)])
        #expect(
            fault.description
                == "no server can be reached: example.org:7: connection refused; "
                + "example.org:8: no answer within 10 s")
    }

    @Test("a client that does not reconnect takes a request from a server that stops to the next one")
    func oneShotRequest() {
        var talk = ClientConversation.welcomed(by: Self.two, reconnects: false)
        #expect(talk.request(rename) == [.send(rename, 1)])
        #expect(talk.receive(.error(ErrorReport(.shuttingDown, "bye")), .number(1)) == [.wake(500)])
        #expect(shutDown(&talk) == [.disconnect, .connect(to: Self.second, within: 10_000)])
        _ = talk.connected()
        #expect(talk.receive(ClientConversation.welcome).dropFirst() == [.send(rename, 1)])
        let fault = ConnectionFault.lost(Self.second, reason: DisconnectReason.ended.explanation)
        let number = RequestNumber(value: 1)
        #expect(talk.disconnect() == [.disconnect, .fail(number, .connection(fault)), .end(fault)])
    }

    @Test("a client that does not reconnect ends if an answer is lost that may mean that something was done")
    func oneShotLost() {
        var talk = ClientConversation.welcomed(by: Self.two, reconnects: false)
        _ = talk.request(rename)
        let fault = ConnectionFault.lost(Self.first, reason: DisconnectReason.ended.explanation)
        #expect(talk.disconnect() == [.disconnect, .lost(1), .end(fault)])
    }

    @Test("an open document continues at the next server with what was not acked")
    func document() throws {
        var talk = ClientConversation.welcomed(by: Self.two)
        let key = talk.open("text")
        let push = try talk.type("x", in: key)
        #expect(push.contains { if case .send(.push, _) = $0 { true } else { false } })
        _ = talk.wait(600)
        #expect(talk.disconnect().last == .connect(to: Self.second, within: 10_000))
        _ = talk.connected()
        let actions = talk.receive(ClientConversation.welcome)
        #expect(actions.contains { if case .send(.open, _) = $0 { true } else { false } }, "\(actions)")
    }
}
