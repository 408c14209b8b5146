import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("Opening a document") struct RoomOpeningTests {
    @Test("an open is answered with the text, the head and the rights")
    func open() throws {
        var world = try RoomWorld("Watch")
        world.open(.ann, id: .number(1))
        #expect(
            world.lines(.ann) == [
                #"{"type":"opened","id":1,"doc":"notes","epoch":"1.1","rev":1,"text":"Watch","rights":"write","newline":"lf","peers":[]}"#
            ])
        world.open(.bob, rights: .read)
        #expect(world.lines(.bob).line(0).contains(#""rights":"read""#))
    }

    /// Rule H2.
    @Test("`opened` lists each session that has sent a selection as a peer")
    func peers() throws {
        var world = try RoomWorld("Watch")
        world.openQuietly(.ann, .bob)
        world.select(.ann, [(1, 3), (5, 5)], at: 1)
        world.open(.eve)
        #expect(
            world.lines(.eve) == [
                #"{"type":"opened","doc":"notes","epoch":"1.1","rev":1,"text":"Watch","rights":"write","newline":"lf","peers":[{"session":"s1","user":"ann","client":"p-ann-client","selections":[[1,3],[5,5]]}]}"#
            ])
    }

    /// Rules B2, B6 and C2.
    @Test("a resumed session gets all missed changes, and acks of its own pushes")
    func resume() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann, .bob)
        world.push(.ann, [(2, 2, "c")], base: 1, seq: 4)
        world.leave(.ann)
        world.push(.bob, [(0, 0, "x")], base: 2, seq: 1)
        world.select(.bob, [(1, 1)], at: 3)
        let ann = Person.ann.back(11)
        world.open(ann, id: .text("r"), from: ("1.1", 1))
        #expect(
            world.lines(ann) == [
                #"{"type":"opened","id":"r","doc":"notes","epoch":"1.1","rev":1,"resumed":true,"rights":"write","newline":"lf","peers":[{"session":"s2","user":"bob","client":"p-bob-client","selections":[]}],"own":{"seq":4,"rev":2}}"#,
                #"{"type":"ack","doc":"notes","seq":4,"rev":2,"edits":[{"range":[2,2],"text":"c"}]}"#,
                #"{"type":"change","doc":"notes","rev":3,"edits":[{"range":[0,0],"text":"x"}],"user":"bob","client":"p-bob-client","time":1002}"#,
                #"{"type":"peer","doc":"notes","session":"s2","rev":3,"selections":[[1,1]]}"#,
                #"{"type":"check","doc":"notes","rev":3,"length":4,"crc32":"45aacfbf"}"#,
            ])
    }

    /// Rule B5. The text already contains this push.
    @Test("`opened` with a whole text names the client's last committed push")
    func own() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.push(.ann, [(2, 2, "c")], base: 1, seq: 4)
        world.leave(.ann)
        world.forget()
        world.open(.ann)
        #expect(
            world.lines(.ann).line(0).hasSuffix(
                #""text":"abc","rights":"write","newline":"lf","peers":[],"own":{"seq":4,"rev":2}}"#))
        try world.restart()
        world.open(.ann)
        #expect(world.lines(.ann).line(0).hasSuffix(#""own":{"seq":4,"rev":2}}"#))
    }

    /// Rule B5. Otherwise a push to another document with the same number would count as committed.
    @Test(
        "`opened` names no push if the client knows another document by this name",
        arguments: [("1.9", false), ("", false), ("9.1", true)])
    func ownOfAnotherDocument(epoch: String, isNamed: Bool) throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.push(.ann, [(2, 2, "c")], base: 1, seq: 4)
        world.leave(.ann)
        world.forget()
        world.open(.ann, from: (epoch, 1))
        #expect(world.lines(.ann).line(0).hasSuffix(#""own":{"seq":4,"rev":2}}"#) == isNamed)
    }

    /// Rules B3 and B4. If the position is beyond the head, the text comes with a new epoch.
    @Test(
        "an open at another epoch or beyond the head gets the whole text",
        arguments: [("9.9", Revision(1), "1.1"), ("1.1", Revision(2), "2.1")])
    func resumeInVain(epoch: String, revision: Revision, answered: String) throws {
        var world = try RoomWorld("ab")
        world.open(.ann, from: (epoch, revision))
        #expect(
            world.lines(.ann) == [
                #"{"type":"opened","doc":"notes","epoch":"\#(answered)","rev":1,"resumed":false,"text":"ab","rights":"write","newline":"lf","peers":[]}"#
            ])
    }

    /// Rule B3.
    @Test("an open at a trimmed revision gets the text, at a kept one it resumes")
    func resumeTrimmed() throws {
        var world = try RoomWorld("ab")
        for number in 2...5 { try world.commitElsewhere([(0, 0, "x")], seq: Int64(number)) }
        _ = world.store.trim(world.document, through: 3)
        try world.restart()
        world.open(.ann, from: ("1.1", 2))
        world.open(.bob, from: ("1.1", 3))
        #expect(world.lines(.ann).line(0).contains(#""rev":5,"resumed":false,"text":"xxxxab""#))
        let lines = world.lines(.bob)
        #expect(lines.line(0).contains(#""rev":3,"resumed":true"#) && lines.revisions == [4, 5])
    }

    /// Rule O1.
    @Test("messages sent right after an open are handled after it, in order")
    func orderKept() throws {
        var world = try RoomWorld("ab")
        world.holds = \.isLookUp
        world.open(.ann)
        world.select(.ann, [(1, 1)], at: 1)
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
        world.select(.ann, [(3, 3)], at: 2)
        world.close(.ann, id: .number(9))
        #expect(
            world.lines(.ann).isEmpty
                && world.heldCalls == [.pusher(Person.ann.participant.pusher, in: world.document)])
        world.release()
        let lines = world.lines(.ann)
        #expect(lines.types == ["opened", "error", "ack", "closed"])
        #expect(lines.line(1).contains(#""code":"base_ahead""#))
        #expect(world.ended == [Person.ann.session])
    }

    /// Rule P14. The room is blocked, because its calls to the store get no answer.
    @Test("a blocked room queues 2 pushes per pusher and 1 selection per session")
    func waitingIsBounded() throws {
        for isHeld in [true, false] {
            var world = try RoomWorld("abcd")
            world.openQuietly(.ann, .bob)
            if isHeld {
                world.holds = \.isRename
                try world.rename(to: "notes", by: .orderer)
            } else {
                // Another server has committed a push of Ann, so the room must look up her last push again.
                try world.commitElsewhere([(4, 4, "z")], by: Person.ann.participant.pusher)
                world.holds = \.isLookUp
                world.push(.bob, [], base: 1, seq: 1)
                world.push(.bob, [(4, 4, "b")], base: 1, seq: 1)
            }
            world.forget()
            let base = world.room.head
            world.push(.ann, [(0, 0, "x")], base: base, seq: 5, id: .number(1))
            world.push(.ann, [(0, 0, "x")], base: base, seq: 5, id: .number(2))
            world.push(.ann, [(0, 0, "y")], base: base, seq: 5, id: .number(3))
            world.push(.ann, [(0, 0, "y")], base: base, seq: 6, id: .number(4))
            world.push(.ann, [(0, 0, "y")], base: base, seq: 5, id: .number(5))
            for place in 0...3 { world.select(.ann, [(place, place)], at: base) }
            #expect(world.lines(.ann).codes == ["push_in_flight"])
            world.forget()
            world.release()
            let lines = world.lines(.ann)
            #expect(lines.last?.hasPrefix(#"{"type":"ack","id":2,"doc":"notes","seq":5"#) == true)
            #expect(lines.codes == ["seq_reused"])
            let peers = world.lines(.bob).filter { $0.contains(#""type":"peer""#) }
            #expect(peers.count == 1 && peers.line(0).hasSuffix(#""selections":[[3,3]]}"#))
        }
    }

    /// Rule P18.
    @Test("an open without rights or with a failed lookup gets an error")
    func refused() throws {
        var world = try RoomWorld("ab")
        world.open(.ann, id: .number(1), rights: .none)
        #expect(
            world.lines(.ann) == [
                #"{"type":"error","id":1,"doc":"notes","code":"not_found","message":"there is no such document"}"#
            ])
        world.store.trouble = .failed
        world.holds = \.isLookUp
        world.open(.bob)
        world.answer(\.isLookUp, .pusher(.failure(.failed)))
        #expect(world.lines(.bob).codes == ["overloaded"])
        #expect(world.ended == [Person.ann.session, Person.bob.session])
    }

    @Test("a session can be opened only once")
    func alreadyOpen() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.open(.ann)
        #expect(world.lines(.ann).codes == ["already_open"] && world.ended.isEmpty)
    }

    @Test("a session that leaves before it is opened is never opened")
    func leftBefore() throws {
        var world = try RoomWorld("ab")
        world.holds = \.isLookUp
        world.open(.ann)
        world.leave(.ann)
        world.release()
        #expect(world.lines(.ann).isEmpty && world.ended == [Person.ann.session])
        world.pass(milliseconds: 60_000)
        #expect(world.isUnloaded)
    }

    /// Rule B9.
    @Test("a session that closes gets its pending acks, `closed` and nothing more")
    func close() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann, .bob)
        world.holds = \.isAppend
        world.push(.ann, [(2, 2, "c")], base: 1, seq: 1)
        world.close(.ann, id: .number(9))
        #expect(world.lines(.ann).isEmpty && world.ended.isEmpty)
        world.release()
        #expect(
            world.lines(.ann) == [
                #"{"type":"ack","doc":"notes","seq":1,"rev":2}"#, #"{"type":"closed","id":9,"doc":"notes"}"#,
            ])
        #expect(world.ended == [Person.ann.session])
        world.push(.bob, [(0, 0, "x")], base: 2, seq: 1)
        #expect(world.lines(.ann).isEmpty)
    }

    /// Rule P18.
    @Test("a session closes even if the lookup of its pusher fails")
    func closeInVain() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann, .bob)
        let ann = Person.ann.participant.pusher
        try world.commitElsewhere([(0, 0, "z")], by: ann)
        world.holds = \.isLookUp
        world.push(.bob, [(0, 0, "x")], base: 1, seq: 1)
        world.push(.ann, [(0, 0, "y")], base: 3, seq: 2)
        world.close(.ann)
        world.forget()
        world.answer(\.isLookUp, .pusher(.failure(.failed)))
        let lines = world.lines(.ann)
        #expect(lines.types == ["error", "closed"] && lines.codes == ["overloaded"])
        #expect(world.ended == [Person.ann.session])
    }

    /// Rule P2.
    @Test("push, select and close without an open session get `not_open`")
    func notOpen() throws {
        var world = try RoomWorld("ab")
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
        world.select(.ann, [(0, 0)], at: 1)
        world.close(.ann)
        #expect(world.lines(.ann).codes == ["not_open", "not_open", "not_open"])
    }
}
