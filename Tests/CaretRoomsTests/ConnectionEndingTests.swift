import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("connection: how a connection ends")
struct ConnectionEndingTests {
    private func opened() -> ConnectionWorld {
        let world = ConnectionWorld.welcomed()
        world.says(#"{"type":"open","doc":"a"}"#)
        world.opened(1)
        return world
    }

    /// Rule O7.
    @Test("after a half close a connection sends pending replies, then closes")
    func halfClose() {
        let world = ConnectionWorld.welcomed()
        world.says(#"{"type":"list","id":1}"#, #"{"type":"list","id":2}"#)
        world.bytes("{\"type\":\"pi")
        #expect(world.happens { $0.inputEnded() } == [])
        #expect(
            world.hubSent(.answered(Envelope(.done(Done()), id: .number(1)))) == [
                #"< {"type":"done","id":1}"#, "[ask list]",
            ])
        #expect(
            world.hubSent(.answered(Envelope(.done(Done()), id: .number(2)))) == [
                #"< {"type":"done","id":2}"#, "[leave]", "[end output]", "[close]",
            ])
    }

    /// Rule O7.
    @Test("after a half close pending pushes are acked, but `closed` is not sent")
    func halfCloseOfOpen() {
        let world = opened()
        world.says(#"{"type":"push","doc":"a","epoch":"e","base":0,"seq":1,"edits":[]}"#)
        #expect(world.happens { $0.inputEnded() } == ["[room 7: close s1]", "[pause]"])
        #expect(said(world.room(#"{"type":"ack","seq":1}"#, to: 1)) == [#"{"type":"ack","seq":1}"#])
        #expect(world.room(#"{"type":"closed","doc":"a"}"#, to: 1) == [])
        #expect(world.ended(1) == ["[leave]", "[end output]", "[close]"])
    }

    @Test("a client that stops sending before its welcome still gets its answers")
    func halfCloseAtHello() {
        let silent = ConnectionWorld()
        #expect(silent.happens { $0.inputEnded() }.contains("[close]"))
        let world = ConnectionWorld()
        world.says(ConnectionWorld.hello, #"{"type":"ping"}"#)
        #expect(world.happens { $0.inputEnded() } == [])
        world.happens { $0.authenticated(.known(Identity(user: "ann", token: 1, grants: .all))) }
        let words = world.hubSent(.admitted(expiresIn: nil))
        #expect(said(words) == ["welcome", #"{"type":"pong"}"#])
        #expect(words.last == "[close]")
    }

    @Test("at a shutdown pending requests and pushes are answered before bye")
    func shutdown() {
        let world = opened()
        world.says(#"{"type":"list","id":1}"#, #"{"type":"list","id":2}"#)
        #expect(
            world.hubSent(.shuttingDown(retryAfterMilliseconds: 1_500)) == ["[room 7: close s1]", "[pause]"])
        #expect(said(world.room(#"{"type":"ack"}"#, to: 1)) == [#"{"type":"ack"}"#])
        world.room(#"{"type":"closed","doc":"a"}"#, to: 1)
        #expect(world.ended(1) == [])
        #expect(
            world.hubSent(.answered(Envelope(.done(Done()), id: .number(1)))) == [
                #"< {"type":"done","id":1}"#,
                #"< {"type":"bye","reason":"shutting_down","retry_after_ms":1500}"#, "[leave]",
                "[end output]", "[resume]",
            ])
        #expect(world.pass(seconds: 1) == ["[close]"])
    }

    @Test("at a shutdown a document that is opening is closed after `opened`")
    func shutdownWhileOpening() {
        let world = ConnectionWorld.welcomed()
        world.says(#"{"type":"open","doc":"a"}"#)
        world.hubSent(.assignedRoom(SessionID(1, number: 1), DocumentID(7)))
        #expect(world.hubSent(.shuttingDown(retryAfterMilliseconds: nil)) == ["[pause]"])
        #expect(
            world.room(#"{"type":"opened"}"#, to: 1).prefix(2) == [
                #"< {"type":"opened"}"#, "[room 7: close s1]",
            ])
        #expect(said(world.ended(1)) == [#"{"type":"bye","reason":"shutting_down"}"#])
    }

    @Test("a shutdown before the welcome sends the error `shutting_down`")
    func shutdownBeforeWelcome() {
        let world = ConnectionWorld()
        #expect(said(world.hubSent(.shuttingDown(retryAfterMilliseconds: 7))) == ["shutting_down"])
        let joining = ConnectionWorld()
        joining.says(ConnectionWorld.hello)
        #expect(said(joining.hubSent(.shuttingDown(retryAfterMilliseconds: 7))) == ["shutting_down"])
    }

    /// Rule A6.
    @Test("a revoked connection gets its acks and bye, and new lines are dropped")
    func revoked() {
        let world = opened()
        let push = #"{"type":"push","doc":"a","epoch":"1.1","base":0,"seq":1,"edits":[]}"#
        #expect(world.says(push) == ["[room 7: push seq 1 s1 write]"])
        #expect(world.hubSent(.ended(.revoked)) == ["[room 7: rights s1 none]", "[pause]"])
        #expect(world.says(#"{"type":"ping"}"#, #"{"type":"list"}"#) == [])
        let ack = #"{"type":"ack","doc":"a","seq":1,"rev":1}"#
        #expect(world.room(ack, to: 1) == ["< " + ack])
        #expect(world.room(#"{"type":"rights","doc":"a","rights":"none"}"#, to: 1) == [])
        #expect(
            world.ended(1) == [
                #"< {"type":"bye","reason":"revoked"}"#, "[leave]", "[end output]", "[resume]",
            ])
    }

    @Test("a revoked connection without pending requests gets bye at once")
    func revokedAtOnce() {
        let world = ConnectionWorld.welcomed()
        #expect(said(world.hubSent(.ended(.revoked))) == [#"{"type":"bye","reason":"revoked"}"#])
    }

    @Test("the bye of a revoked connection waits only for short requests")
    func revokedAsking() {
        let world = ConnectionWorld.welcomed()
        world.says(#"{"type":"verify"}"#)
        world.hubSent(.startedLongRequest)
        world.says(#"{"type":"list"}"#)
        #expect(said(world.hubSent(.ended(.revoked))) == [])
        let words = world.hubSent(.answered(Envelope(.listed(Listed(documents: [])))))
        #expect(said(words) == [#"{"type":"listed","docs":[]}"#, #"{"type":"bye","reason":"revoked"}"#])
    }

    /// Rule H7.
    @Test("a connection gets a bye and closes when a newer one replaces it", arguments: [ByeReason.replaced])
    func ended(reason: ByeReason) {
        let world = opened()
        world.says(#"{"type":"list","id":1}"#, #"{"type":"list","id":2}"#)
        #expect(
            world.hubSent(.ended(reason)) == [
                #"< {"type":"bye","reason":"\#(reason.rawValue)"}"#, "[leave]", "[end output]",
            ])
        // No queued request is forwarded.
        #expect(world.hubSent(.answered(Envelope(.done(Done()), id: .number(1)))) == [])
    }

    @Test("if a room disconnects a slow session, the whole connection gets bye")
    func disconnect() {
        let world = opened()
        #expect(world.happens { $0.disconnect(SessionID(1, number: 9)) } == [])
        #expect(
            said(world.happens { $0.disconnect(SessionID(1, number: 1)) }) == [
                #"{"type":"bye","reason":"too_slow"}"#
            ])
    }

    /// A push that the connection sent to a room. In these tests that room no longer exists.
    private static let push = RoomEvent.push(
        RoomPush(
            session: SessionID(1, number: 1), id: nil, document: "a", participant: Person.ann.participant,
            rights: .write, epoch: nil, base: 0, seq: 1, content: .text("x"), digest: Digest(.zero), time: 0))

    @Test("a lost connection leaves the hub, and is closed only once")
    func lost() {
        let world = opened()
        #expect(world.happens { $0.connectionLost() } == ["[leave]", "[close]"])
        #expect(world.happens { $0.connectionLost() } == [])
        let early = ConnectionWorld()
        #expect(early.happens { $0.connectionLost() } == ["[close]"])
    }

    @Test("after bye a connection ignores all events")
    func afterTheEnd() {
        for isClosed in [false, true] {
            let world = opened()
            world.hubSent(.ended(.replaced))
            if isClosed { world.happens { $0.connectionLost() } }
            for number in 0..<3 {
                #expect(world.says(ConnectionWorld.hello, #"{"type":"ping"}"#, "x") == [])
                #expect(world.hubSent(.admitted(expiresIn: nil)) == [])
                #expect(world.hubSent(.answered(Envelope(.done(Done())))) == [])
                #expect(world.hubSent(.ended(.revoked)) == [])
                #expect(world.hubSent(.shuttingDown(retryAfterMilliseconds: nil)) == [])
                #expect(world.hubSent(.documents([.done(Done())])) == [])
                #expect(world.hubSent(.grants(.all)) == [])
                #expect(world.hubSent(.reported(Envelope(.done(Done())))) == [])
                #expect(world.hubSent(.startedLongRequest) == [])
                #expect(world.hubSent(.refused(ErrorReport(.overloaded, ""))) == [])
                #expect(world.happens { $0.undelivered(ConnectionEndingTests.push) } == [])
                #expect(world.opened(number) == [])
                #expect(world.ended(number) == [])
                #expect(world.happens { $0.disconnect(SessionID(1, number: number)) } == [])
                #expect(world.happens { $0.lineRefused() } == [])
                #expect(world.happens { $0.authenticated(.unknown) } == [])
                #expect(world.happens { $0.undelivered(.leave(SessionID(1, number: 1))) } == [])
                #expect(world.happens { $0.claimForMessage() } == [] && world.endMessage() == [])
            }
            let ending = world.happens { $0.inputEnded() }
            #expect(ending == (isClosed ? [] : ["[close]"]))
            #expect(world.happens { $0.written(9) } == [] && world.pass(seconds: 1_000) == [])
        }
    }

    @Test("before hello all events from the hub and the rooms are ignored")
    func beforeHello() {
        let world = ConnectionWorld()
        #expect(world.hubSent(.admitted(expiresIn: nil)) == [])
        #expect(world.hubSent(.answered(Envelope(.done(Done())))) == [])
        #expect(world.hubSent(.grants(.all)) == [])
        #expect(world.hubSent(.documents([.done(Done())])) == [])
        #expect(world.hubSent(.reported(Envelope(.done(Done())))) == [])
        #expect(world.hubSent(.startedLongRequest) == [])
        #expect(world.hubSent(.refused(ErrorReport(.overloaded, ""))) == [])
        #expect(world.happens { $0.undelivered(ConnectionEndingTests.push) } == [])
        #expect(world.opened(0) == [])
        #expect(world.opened(1) == [])
        #expect(world.ended(1) == [])
        #expect(world.happens { $0.authenticated(.unknown) } == [])
        #expect(world.happens { $0.lineRefused() } == [])
        #expect(said(world.says(ConnectionWorld.hello)) == [])
    }
}
