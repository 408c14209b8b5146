import CaretClient
import CaretCore
import CaretReplica
import CaretWire
import Testing

@Suite("How a client connects to a server") struct ConnectingTests {
    @Test("a client connects, says hello and is welcomed")
    func welcomed() {
        var talk = ClientConversation()
        #expect(talk.start() == [.attempt, .wake(10_000)])
        #expect(talk.connected() == [.send(.hello(Hello(client: "client-1")), id: nil)])
        #expect(talk.start() == [])
        guard case .welcome(let welcome) = ClientConversation.welcome else {
            Issue.record("the message is not a welcome")
            return
        }
        #expect(talk.receive(ClientConversation.welcome) == [.welcomed(welcome)])
        #expect(talk.connected() == [])
    }

    @Test("the time limit for the welcome begins when the connection is made")
    func lateConnection() {
        var talk = ClientConversation()
        _ = talk.start()
        _ = talk.wait(5_000)
        _ = talk.connected()
        #expect(talk.wait(9_999) == [.wake(15_000)])
        #expect(talk.wait(1) == [.disconnect, .wake(15_250)])
    }

    @Test("a repeated or late report of a connection sends no second hello")
    func connectedLate() {
        for reconnects in [true, false] {
            var talk = ClientConversation(reconnects: reconnects)
            _ = talk.start()
            _ = talk.connected()
            #expect(talk.connected() == [])
            #expect(talk.state.link == .helloSent)
            // After the disconnect, a client that reconnects waits for its next attempt. Any other client
            // has ended.
            _ = talk.disconnect()
            let link = talk.state.link
            #expect(talk.connected() == [])
            #expect(talk.state.link == link)
        }
    }

    @Test("delays between attempts to connect grow until the next welcome")
    func delays() {
        var talk = ClientConversation()
        _ = talk.start()
        var delays: [Int] = []
        for _ in 0..<8 {
            _ = talk.disconnect(.unreachable("refused"))
            guard case .waiting(let until) = talk.state.link else {
                Issue.record("the client does not wait: \(talk.state.link)")
                return
            }
            var waited = 0
            while talk.state.link == .waiting(until: until) {
                waited += 250
                _ = talk.wait(250)
            }
            delays.append(waited)
        }
        #expect(delays == [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000])
        _ = talk.connected()
        _ = talk.receive(ClientConversation.welcome)
        _ = talk.disconnect()
        #expect(talk.wait(250).first == .attempt)
    }

    @Test("jitter shortens a delay by up to half")
    func jitter() {
        #expect(Jitter(0).applied(to: 1_000) == 500)
        #expect(Jitter(0.5).applied(to: 1_000) == 750)
        #expect(Jitter(0.999_999).applied(to: 1_000) == 999)
    }

    @Test("a delay is at least what the server requests, and at most five minutes")
    func requestedDelay() {
        for (requested, delay) in [(3_000, 3_000), (10, 250), (9_000_000, 300_000)] {
            var talk = ClientConversation.welcomed()
            #expect(talk.receive(.bye(Bye(reason: .shuttingDown, retryAfterMilliseconds: requested))) == [])
            _ = talk.disconnect()
            #expect(talk.state.link == .waiting(until: Moment(milliseconds: delay)))
            // The delay that the server requested is used once. The next delay is the client's own.
            _ = talk.wait(Milliseconds(delay))
            _ = talk.disconnect()
            #expect(talk.state.link == .waiting(until: Moment(milliseconds: delay + 500)))
        }
    }

    @Test(
        "an error sets the reconnect delay only if it closes the connection",
        arguments: [
            (ErrorCode.lineTooLong, 3_000, "no (line_too_long)"),
            (.overloaded, 250, DisconnectReason.ended.explanation),
        ])
    func closingError(code: ErrorCode, delay: Int, reason: String) {
        let error = ErrorReport(code, "no", retryAfterMilliseconds: 3_000)
        var talk = ClientConversation.welcomed()
        #expect(talk.receive(.error(error)) == [])
        _ = talk.disconnect()
        #expect(talk.state.link == .waiting(until: Moment(milliseconds: delay)))
        var once = ClientConversation.welcomed(reconnects: false)
        #expect(once.receive(.error(error)) == [])
        let fault = ConnectionFault.lost(ClientConversation.address, reason: reason)
        #expect(once.disconnect() == [.disconnect, .end(fault)])
    }

    @Test(
        "a client ends if the server's store is not the expected one",
        arguments: [("s-1", false), ("s-2", true), (nil, false)] as [(String?, Bool)])
    func otherStore(found: String?, ends: Bool) {
        var talk = ClientConversation(store: "s-1")
        _ = talk.start()
        _ = talk.connected()
        let welcome = Welcome(
            unit: .utf16, server: "caret/test", user: "ann", client: "p-1", ping: 20,
            store: found.map { WireString($0) })
        let fault = ConnectionFault.otherStore(expected: "s-1", found: found ?? "")
        let expected: [ClientAction] = ends ? [.disconnect, .end(fault)] : [.welcomed(welcome)]
        #expect(talk.receive(.welcome(welcome)) == expected)
    }

    @Test("a client does not use a server whose offsets are not in UTF-16")
    func otherUnit() {
        var talk = ClientConversation(reconnects: false)
        _ = talk.start()
        _ = talk.connected()
        let welcome = Welcome(unit: .utf8, server: "caret/test", user: "ann", client: "p-1", ping: 20)
        let reason = DisconnectReason.notUnderstood("the server's offsets are not in UTF-16 units")
            .explanation
        let fault = ConnectionFault.unreachable(ClientConversation.address, reason: reason)
        #expect(talk.receive(.welcome(welcome)) == [.disconnect, .end(fault)])
    }

    @Test(
        "an attempt to connect fails after ten seconds without a welcome", arguments: [false, true])
    func noWelcome(isConnected: Bool) {
        var talk = ClientConversation()
        _ = talk.start()
        if isConnected { _ = talk.connected() }
        #expect(talk.wait(9_999) == [])
        #expect(talk.wait(1) == [.disconnect, .wake(10_250)])
    }

    @Test("a silent server gets a ping, and is then disconnected")
    func silence() {
        var talk = ClientConversation.welcomed()
        #expect(talk.wait(10_000) == [.wake(20_000)])
        #expect(talk.wait(10_000) == [.send(.ping(Ping()), id: nil), .wake(40_000)])
        #expect(talk.receive(.pong(Pong())) == [])
        #expect(talk.wait(20_000) == [.send(.ping(Ping()), id: nil), .wake(60_000)])
        #expect(talk.wait(20_000) == [.disconnect, .wake(60_250)])
    }

    @Test("each message of the server delays the next ping")
    func notSilent() {
        var talk = ClientConversation.welcomed()
        _ = talk.wait(10_000)
        #expect(talk.receive(.pong(Pong())) == [])
        #expect(talk.wait(10_000) == [.wake(30_000)])
        #expect(talk.wait(10_000) == [.send(.ping(Ping()), id: nil), .wake(50_000)])
    }

    @Test("a client answers a ping of the server with a pong")
    func ping() {
        var talk = ClientConversation.welcomed()
        #expect(talk.receive(.ping(Ping())) == [.send(.pong(Pong()), id: nil)])
    }

    @Test(
        "a client does not retry a hello that is refused permanently",
        arguments: [ErrorCode.unauthorized, .unsupportedProtocol, .badMessage])
    func refused(code: ErrorCode) {
        var talk = ClientConversation()
        _ = talk.start()
        _ = talk.connected()
        let error = ErrorReport(code, "no")
        #expect(talk.receive(.error(error)) == [.disconnect, .end(.refused(ServerRefusal(error)))])
        #expect(talk.disconnect() == [])
    }

    @Test(
        "a client retries a hello that is refused temporarily",
        arguments: [ErrorCode.storageFailed, .helloTimeout])
    func refusedForNow(code: ErrorCode) {
        var talk = ClientConversation()
        _ = talk.start()
        _ = talk.connected()
        var other = talk
        _ = talk.receive(.error(ErrorReport(code, "not now")))
        #expect(talk.state.link == .waiting(until: Moment(milliseconds: 250)))
        _ = other.receive(.error(ErrorReport(code, "not now", retryAfterMilliseconds: 3_000)))
        #expect(other.state.link == .waiting(until: Moment(milliseconds: 3_000)))
    }

    @Test(
        "after `bye` with `replaced` or `revoked`, a client does not reconnect",
        arguments: [(ByeReason.replaced, ConnectionFault.replaced), (.revoked, .revoked)])
    func bye(reason: ByeReason, fault: ConnectionFault) {
        var talk = ClientConversation.welcomed()
        #expect(talk.receive(.bye(Bye(reason: reason))) == [.disconnect, .end(fault)])
    }

    @Test("a client that owns its id connects again after `bye` with `replaced`")
    func replaced() {
        var talk = ClientConversation.welcomed(ownsID: true)
        #expect(talk.receive(.bye(Bye(reason: .replaced))) == [])
        _ = talk.disconnect()
        #expect(talk.wait(250).first == .attempt)
        _ = talk.connected()
        _ = talk.receive(ClientConversation.welcome)
        #expect(talk.receive(.bye(Bye(reason: .revoked))) == [.disconnect, .end(.revoked)])
    }

    @Test("a server that counts in another unit is asked again after growing delays")
    func unsuitable() {
        var talk = ClientConversation()
        _ = talk.start()
        let welcome = Welcome(unit: .utf8, server: "caret/test", user: "ann", client: "p-1", ping: 20)
        for delay in [250, 500, 1_000] as [Milliseconds] {
            _ = talk.connected()
            _ = talk.receive(.welcome(welcome))
            #expect(talk.wait(Milliseconds(delay.value - 1)).first != .attempt)
            #expect(talk.wait(1).first == .attempt)
        }
    }

    @Test("without reconnects, the client reports a failure's address and reason")
    func oneShot() {
        var talk = ClientConversation(reconnects: false)
        _ = talk.start()
        let reason = "connection refused"
        let fault = ConnectionFault.unreachable(ClientConversation.address, reason: reason)
        #expect(talk.disconnect(.unreachable(reason)) == [.disconnect, .end(fault)])
        #expect(fault.description == "example.org:7: connection refused")
        #expect(talk.request(.list(List())) == [.fail(RequestNumber(value: 1), .connection(fault))])
    }
}
