import CaretClient
import CaretCore
import CaretReplica
import CaretWire
import Testing

@Suite("Connecting") struct ConnectingTests {
    @Test("a client connects, says hello and is welcomed")
    func welcomed() {
        var talk = ClientTalk()
        #expect(talk.begin() == [.connect, .wake(10_000)])
        #expect(talk.connected() == [.send(.hello(Hello(client: "client-1")), id: nil)])
        #expect(talk.begin() == [])
        guard case .welcome(let welcome) = ClientTalk.welcome else {
            Issue.record("it is no welcome")
            return
        }
        #expect(talk.hear(ClientTalk.welcome) == [.greeted(welcome)])
    }

    @Test("pauses between attempts grow from a quarter of a second, and begin anew after a welcome")
    func pauses() {
        var talk = ClientTalk()
        _ = talk.begin()
        var pauses: [Int] = []
        for _ in 0..<8 {
            _ = talk.cut(.unreachable("refused"))
            guard case .waiting(let until) = talk.state.link else {
                Issue.record("it does not wait: \(talk.state.link)")
                return
            }
            var waited = 0
            while talk.state.link == .waiting(until: until) {
                waited += 250
                _ = talk.wait(250)
            }
            pauses.append(waited)
        }
        #expect(pauses == [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000])
        _ = talk.connected()
        _ = talk.hear(ClientTalk.welcome)
        _ = talk.cut()
        #expect(talk.wait(250).first == .connect)
    }

    @Test("chance lengthens a pause up to twice as long")
    func luck() {
        #expect(Luck(0).share(of: 1_000) == 500)
        #expect(Luck(0.5).share(of: 1_000) == 750)
        #expect(Luck(0.999_999).share(of: 1_000) == 999)
    }

    @Test("a pause is at least what the server asks for, and at most five minutes")
    func askedPause() {
        for (asked, pause) in [(3_000, 3_000), (10, 250), (9_000_000, 300_000)] {
            var talk = ClientTalk.welcomed()
            #expect(talk.hear(.bye(Bye(reason: .shuttingDown, retryAfterMilliseconds: asked))) == [])
            _ = talk.cut()
            #expect(talk.state.link == .waiting(until: Moment(milliseconds: pause)))
        }
    }

    @Test(
        "an attempt that leads to nothing for ten seconds is given up", arguments: [false, true])
    func noWelcome(isConnected: Bool) {
        var talk = ClientTalk()
        _ = talk.begin()
        if isConnected { _ = talk.connected() }
        #expect(talk.wait(9_999) == [])
        #expect(talk.wait(1) == [.disconnect, .wake(10_250)])
    }

    @Test("a server that is silent is asked whether it is there, and then left")
    func silence() {
        var talk = ClientTalk.welcomed()
        #expect(talk.wait(10_000) == [.wake(20_000)])
        #expect(talk.wait(10_000) == [.send(.ping(Ping()), id: nil), .wake(40_000)])
        #expect(talk.hear(.pong(Pong())) == [])
        #expect(talk.wait(20_000) == [.send(.ping(Ping()), id: nil), .wake(60_000)])
        #expect(talk.wait(20_000) == [.disconnect, .wake(60_250)])
    }

    @Test("a ping is answered")
    func ping() {
        var talk = ClientTalk.welcomed()
        #expect(talk.hear(.ping(Ping())) == [.send(.pong(Pong()), id: nil)])
    }

    @Test(
        "a client that the server does not take gives up",
        arguments: [ErrorCode.unauthorized, .unsupportedProtocol, .badMessage])
    func refused(code: ErrorCode) {
        var talk = ClientTalk()
        _ = talk.begin()
        _ = talk.connected()
        let error = ErrorReport(code, "no")
        #expect(talk.hear(.error(error)) == [.disconnect, .end(.refused(ServerRefusal(error)))])
        #expect(talk.cut() == [])
    }

    @Test(
        "what the server cannot do now is tried again", arguments: [ErrorCode.storageFailed, .helloTimeout])
    func refusedForNow(code: ErrorCode) {
        var talk = ClientTalk()
        _ = talk.begin()
        _ = talk.connected()
        _ = talk.hear(.error(ErrorReport(code, "not now")))
        #expect(talk.state.link == .waiting(until: Moment(milliseconds: 250)))
    }

    @Test(
        "a client that was replaced or whose token was revoked does not come back",
        arguments: [(ByeReason.replaced, ConnectionFault.replaced), (.revoked, .revoked)])
    func bye(reason: ByeReason, fault: ConnectionFault) {
        var talk = ClientTalk.welcomed()
        #expect(talk.hear(.bye(Bye(reason: reason))) == [.disconnect, .end(fault)])
    }

    @Test("a client that is not to connect again says what was wrong and where")
    func oneShot() {
        var talk = ClientTalk(reconnects: false)
        _ = talk.begin()
        let reason = "connection refused"
        let fault = ConnectionFault.unreachable(ClientTalk.address, reason: reason)
        #expect(talk.cut(.unreachable(reason)) == [.disconnect, .end(fault)])
        #expect(fault.description == "example.org:7: connection refused")
        #expect(talk.ask(.list(List())) == [.fail(AskNumber(value: 1), .connection(fault))])
    }
}
