import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("Pushing to a document") struct RoomPushTests {
    /// Rule P1.
    @Test("a push is acked, and sent to others, only after it is on disk")
    func synced() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann, .bob)
        world.holds = \.isAppend
        world.push(.ann, [(1, 1, "x")], base: 1, seq: 1, id: .number(2))
        #expect(world.lines(.ann).isEmpty && world.lines(.bob).isEmpty && world.text == "ab")
        world.release()
        #expect(world.lines(.ann) == [#"{"type":"ack","id":2,"doc":"notes","seq":1,"rev":2}"#])
        #expect(
            world.lines(.bob) == [
                #"{"type":"change","doc":"notes","rev":2,"edits":[{"range":[1,1],"text":"x"}],"user":"ann","client":"p-ann-client","time":1001}"#
            ])
    }

    /// Rules P4 and P19.
    @Test("a push at an older base is rebased, and its ack has the rebased edits")
    func rebased() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann, .bob)
        world.push(.bob, [(0, 0, "123")], base: 1, seq: 1)
        world.forget()
        world.push(.ann, [(1, 2, "X")], base: 1, seq: 1)
        #expect(
            world.lines(.ann) == [
                #"{"type":"ack","doc":"notes","seq":1,"rev":3,"edits":[{"range":[4,5],"text":"X"}]}"#
            ])
        #expect(world.text == "123aX")
    }

    @Test(
        "for a push whose base is before the window, the room reads the store",
        arguments: [false, true])
    func oldBase(isBoundedLater: Bool) throws {
        var limits = Limits()
        if !isBoundedLater { limits.windowBytes = 5_000 }
        var world = try RoomWorld("ab", limits: limits)
        world.openQuietly(.ann, .bob)
        for number in 1...20 {
            world.push(.bob, [(0, 0, "x")], base: Revision(number), seq: Int64(number))
        }
        if isBoundedLater { world.boundWindow(to: 5_000) }
        world.forget()
        var reads = 0
        world.holds = { action in
            if action.isRead || action.isReadText { reads += 1 }
            return false
        }
        // If two changes insert text at the same offset, the text that was committed first comes first.
        world.push(.ann, [(0, 0, "^"), (2, 2, "!")], base: 1, seq: 1)
        #expect(world.text == String(repeating: "x", count: 20) + "^ab!")
        let edits = #"{"range":[20,20],"text":"^"},{"range":[22,22],"text":"!"}"#
        #expect(world.lines(.ann).last?.contains(#""rev":22,"edits":[\#(edits)]"#) == true)
        #expect(reads >= 2)
    }

    @Test("an old push is rebased over another server's revisions only once")
    func oldBaseElsewhere() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann, .bob)
        for number in 1...9 { world.push(.bob, [(0, 0, "x")], base: Revision(number), seq: Int64(number)) }
        world.boundWindow(to: 1)
        world.forget()
        // The store returns this revision to the room before the room has applied it.
        try world.commitElsewhere([(0, 0, "z")])
        world.push(.ann, [(0, 0, "^"), (2, 2, "!")], base: 1, seq: 1)
        #expect(world.text == "z" + String(repeating: "x", count: 9) + "^ab!" && world.room.head == 12)
        #expect(world.lines(.ann).revisions == [11, 12])
    }

    @Test("a long diff runs in the background, and commits meanwhile are not lost")
    func beside() throws {
        var world = try RoomWorld(String(repeating: "line\n", count: 4_000))
        world.openQuietly(.ann, .bob)
        world.holds = \.isCompute
        let text = "top\n" + String(repeating: "line\n", count: 4_000) + "end\n"
        world.push(.ann, .text(WireString(text)), base: 1, seq: 1)
        #expect(world.held.count == 1)
        world.push(.bob, [(0, 0, "first\n")], base: 1, seq: 1)
        world.release()
        #expect(world.text == "first\n" + text && world.room.head == 3)
    }

    @Test("after 3 background rebases of a push, other pushes wait for the fourth")
    func farBehind() throws {
        var world = try RoomWorld(String(repeating: "ab", count: 600))
        world.openQuietly(.ann, .bob)
        for number in 1...60 { world.push(.bob, [(0, 0, "x")], base: Revision(number), seq: Int64(number)) }
        world.holds = \.isCompute
        // A rebase of 600 edits over 60 revisions costs 60 × 601 = 36,060 steps, so it runs in the
        // background.
        world.push(.ann, (0..<600).map { (2 * $0, 2 * $0 + 1, "") }, base: 1, seq: 1)
        var rounds = 0
        while case .compute(let id, .change(let work))? = world.held.last, world.held.count > rounds {
            rounds = world.held.count
            // During each round the document gets 60 new revisions.
            for _ in 1...60 {
                let head = world.room.head
                world.push(.bob, [(0, 0, "x")], base: head, seq: Int64(head.value))
            }
            world.send(.computed(id, .change(work.done())))
        }
        #expect(rounds == 4)
        // Bob's last push waited until Ann's change was committed. So Bob gets her change before his ack.
        let types = world.lines(.bob).types.filter { $0 != "error" }
        #expect(types.suffix(2) == ["change", "ack"])
        #expect(world.text == String(repeating: "x", count: 241) + String(repeating: "b", count: 600))
    }

    /// Rule P4.
    @Test("pushes that arrive during an append form the next segment, in order")
    func gathered() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann, .bob, .eve)
        world.holds = \.isAppend
        world.push(.ann, [(0, 0, "1")], base: 1, seq: 1)
        world.push(.bob, [(0, 0, "2")], base: 1, seq: 1)
        world.push(.eve, [(2, 2, "é")], base: 1, seq: 1)
        #expect(world.held.count == 1)
        world.release()
        #expect(world.text == "12abé" && world.room.head == 4)
    }

    @Test("pushes of one batch of events form one segment, sent in one buffer")
    func batch() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann, .bob, .eve)
        var sizes: [Int] = []
        world.holds = { action in
            if case .append(let append)? = action.storeCall { sizes.append(append.changes.count) }
            return false
        }
        world.gather { world in
            world.push(.ann, [(0, 0, "1")], base: 1, seq: 1)
            world.push(.bob, [(0, 0, "2")], base: 1, seq: 1)
        }
        #expect(sizes == [2] && world.text == "12ab")
        #expect(world.lines(.eve).revisions == [2, 3] && world.pieces(.eve) == 1)
        world.push(.eve, [(0, 0, "3")], base: 3, seq: 1)
        #expect(sizes == [2, 1])
    }

    @Test("changes over the limit of a segment wait for the next one")
    func segmentLimit() throws {
        var limits = Limits()
        limits.segmentChanges = 3
        var world = try RoomWorld("ab", limits: limits)
        let people = (1...8).map { Person("p\($0)", Int64($0)) }
        for person in people { world.open(person) }
        world.holds = \.isAppend
        for person in people { world.push(person, [(0, 0, "x")], base: 1, seq: 1) }
        var sizes: [Int] = []
        while case .append(let append)? = world.heldCalls.first {
            sizes.append(append.changes.count)
            let outcome = world.store.append(append)
            world.answerAppend(outcome)
        }
        #expect(sizes == [1, 3, 3, 1])
    }

    /// Rule P2.
    @Test("a pushed text is compared with the text at its base, and merged")
    func wholeText() throws {
        var world = try RoomWorld("one\ntwo\nthree\n")
        world.openQuietly(.bob)
        world.push(.bob, [(0, 3, "ONE")], base: 1, seq: 1)
        world.forget()
        // A whole text can be pushed without an open document.
        world.push(.ann, .text("one\ntwo\nTHREE\n"), base: 1, seq: 1, wantsText: true)
        #expect(world.text == "ONE\ntwo\nTHREE\n")
        #expect(
            world.lines(.ann) == [
                #"{"type":"ack","doc":"notes","seq":1,"rev":3,"edits":[{"range":[8,13],"text":"THREE"}],"text":"ONE\ntwo\nTHREE\n"}"#
            ])
    }

    /// Rule P7.
    @Test("if a text has too many edits, those with the least distance are joined")
    func joined() throws {
        var limits = Limits()
        limits.announced.edits = 2
        var world = try RoomWorld("1\nkeep\n2\nkeep keep keep\n3\n", limits: limits)
        world.push(.ann, .text("x\nkeep\ny\nkeep keep keep\nz\n"), base: 1, seq: 1)
        let edits = #"{"range":[0,8],"text":"x\nkeep\ny"},{"range":[24,25],"text":"z"}"#
        #expect(
            world.lines(.ann) == [#"{"type":"ack","doc":"notes","seq":1,"rev":2,"edits":[\#(edits)]}"#])
        #expect(world.text == "x\nkeep\ny\nkeep keep keep\nz\n")
        // The edits around `k` are joined first, because their distance is the shortest. The other two
        // distances are equal, so the edits around the first one are joined next.
        let (old, new) = ("1\nk\n2\nkeep keep\n3\nkeep keep\n4\n", "x\nk\ny\nkeep keep\nz\nkeep keep\nw\n")
        world = try RoomWorld(old, limits: limits)
        world.push(.ann, .text(WireString(new)), base: 1, seq: 1)
        #expect(
            world.lines(.ann).line(0).contains(
                #""edits":[{"range":[0,17],"text":"x\nk\ny\nkeep keep\nz"},{"range":[28,29],"text":"w"}]"#))
        #expect(world.text == new)
    }

    /// Rules P3 and P6. The base of such a push does not have to be the head.
    @Test("a push of the head's text, or without edits, is acked as unchanged")
    func unchanged() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann, .bob)
        world.push(.bob, .text("abc"), base: 1, seq: 1)
        world.forget()
        // The store is not needed for these pushes.
        world.holds = \.isAppend
        world.push(.ann, .text("abc"), base: 77, seq: 1, id: .number(1), epoch: nil, wantsText: true)
        world.push(.ann, [], base: 2, seq: 2)
        world.push(.ann, [(1, 1, "")], base: 2, seq: 2)
        #expect(
            world.lines(.ann) == [
                #"{"type":"ack","id":1,"doc":"notes","seq":1,"epoch":"1.1","rev":2,"text":"abc","unchanged":true}"#,
                #"{"type":"ack","doc":"notes","seq":2,"epoch":"1.1","rev":2,"unchanged":true}"#,
                #"{"type":"ack","doc":"notes","seq":2,"epoch":"1.1","rev":2,"unchanged":true}"#,
            ])
        #expect(world.room.head == 2 && world.held.isEmpty)
    }

    /// Rule P6. The second push may come before the first one is on disk.
    @Test("two machines that push the same text at once do not insert it twice")
    func syncedTwice() throws {
        var world = try RoomWorld("ab")
        world.holds = \.isAppend
        world.push(.ann, .text("ab\nnew\n"), base: 1, seq: 1)
        world.push(.bob, .text("ab\nnew\n"), base: 1, seq: 1)
        #expect(world.lines(.bob).isEmpty)
        world.release()
        #expect(world.text == "ab\nnew\n" && world.room.head == 2)
        let ack = #"{"type":"ack","doc":"notes","seq":1,"epoch":"1.1","rev":2,"unchanged":true}"#
        #expect(world.lines(.bob) == [ack])
    }

    /// Rules P1 and P6.
    @Test("a push that changes nothing is acked only when the text is on disk")
    func unchangedBehind() throws {
        var world = try RoomWorld("ab")
        world.holds = \.isAppend
        world.push(.joe, .text("abc"), base: 1, seq: 1)
        world.push(.ann, .text("abcd"), base: 1, seq: 1)
        world.push(.bob, .text("abcd"), base: 1, seq: 1)
        guard case .append(let append)? = world.heldCalls.first else { throw Unexpected(what: "no append") }
        let outcome = world.store.append(append)
        world.answerAppend(outcome)
        // Ann pushed the same text as Bob, and her push is in the second segment. So Bob's ack waits until
        // that segment is on disk.
        #expect(world.lines(.bob).isEmpty && world.held.count == 1)
        world.answerAppend(.diskFull)
        #expect(world.lines(.bob).codes == ["storage_full"])
    }

    /// Rule T5.
    @Test(
        "line breaks are stored as LF, and the kind of the first one is stored",
        arguments: [("a\r\nb\rc\n", "crlf"), ("a\nb\r\nc\r", "lf"), ("a\rb\r\nc\n", "lf")])
    func lineBreaks(text: String, newline: String) throws {
        var world = try RoomWorld("a\nb\n")
        world.push(.ann, .text("x\r\n"), base: 1, seq: 1)
        world.push(.ann, .text(WireString(text)), base: 2, seq: 2)
        #expect(world.text == "a\nb\nc\n")
        world.open(.bob)
        #expect(world.lines(.bob).first?.contains(#""newline":"\#(newline)""#) == true)
        // A text that differs only in line breaks changes nothing, not even the stored kind of line break.
        world.forget()
        world.push(.ann, .text("a\r\nb\r\nc\r\n"), base: 3, seq: 3)
        let ack = #"{"type":"ack","doc":"notes","seq":3,"epoch":"1.1","rev":3,"unchanged":true}"#
        #expect(world.lines(.ann) == [ack])
        let expected = newline == "crlf" ? LineBreak.crlf : .lf
        #expect(try world.store.entry(of: world.document).get().lineBreak == expected)
    }

    /// Rule T5.
    @Test("edits and a restore keep the stored kind of line break")
    func keptLineBreaks() throws {
        var world = try RoomWorld("a\nb\n")
        world.openQuietly(.ann)
        world.push(.ann, .text("x\r\n"), base: 1, seq: 1)
        world.push(.ann, [(0, 0, "\n")], base: 2, seq: 2)
        world.push(.ann, .restore, base: 1, seq: 3)
        #expect(world.text == "a\nb\n")
        #expect(try world.store.entry(of: world.document).get().lineBreak == .crlf)
    }

    @Test("a restore gives exactly the old text, even during other pushes")
    func restore() throws {
        var world = try RoomWorld("old text")
        world.push(.bob, .text("new words altogether"), base: 1, seq: 1)
        world.holds = \.isAppend
        world.push(.bob, .text("new words altogether, and more"), base: 2, seq: 2)
        world.push(.ann, .restore, base: 1, seq: 1, id: .number(4))
        world.release()
        #expect(world.text == "old text" && world.room.head == 4)
        #expect(
            world.lines(.ann).first?.hasPrefix(
                #"{"type":"ack","id":4,"doc":"notes","seq":1,"rev":4,"edits":[{"#) == true)
    }

    /// Rule P6.
    @Test("replacing a text by the same text is a revision; deleting what is deleted is none")
    func sameText() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann, .bob)
        world.push(.ann, [(0, 1, "a")], base: 1, seq: 1)
        #expect(world.lines(.ann) == [#"{"type":"ack","doc":"notes","seq":1,"rev":2}"#])
        #expect(world.text == "ab" && world.room.head == 2)
        world.push(.ann, [(1, 2, "")], base: 2, seq: 2)
        world.forget()
        world.push(.bob, [(1, 2, "")], base: 2, seq: 1)
        #expect(
            world.lines(.bob) == [
                #"{"type":"ack","doc":"notes","seq":1,"epoch":"1.1","rev":3,"unchanged":true}"#
            ])
        // The server does not remember a push without effect, so its number can be used again.
        world.push(.bob, [(0, 0, "x")], base: 3, seq: 1)
        #expect(world.text == "xa" && world.lines(.bob).revisions == [4])
    }

    /// Rule P6.
    @Test("a restore of the text that the head has makes no revision, and its ack has empty edits")
    func restoreUnchanged() throws {
        var world = try RoomWorld("ab")
        world.push(.ann, .restore, base: 1, seq: 1, id: .number(4))
        #expect(
            world.lines(.ann) == [
                #"{"type":"ack","id":4,"doc":"notes","seq":1,"epoch":"1.1","rev":1,"edits":[],"unchanged":true}"#
            ])
        #expect(world.room.head == 1)
    }

    @Test("a long text is restored exactly, although its diff runs in background")
    func restoreLong() throws {
        let old = String(repeating: "word\n", count: 8_000)
        var world = try RoomWorld(old)
        world.push(.bob, .text("short"), base: 1, seq: 1)
        world.holds = \.isCompute
        world.push(.ann, .restore, base: 1, seq: 1)
        #expect(world.held.count == 1)
        world.push(.bob, .text("shorter"), base: 2, seq: 2)
        world.release()
        #expect(world.text == old && world.room.head == 4)
    }

    @Test("offsets are counted in the unit of each sender and receiver")
    func units() throws {
        var world = try RoomWorld("é😀x")
        world.openQuietly(.ann, .eve, .joe)
        world.push(.eve, [(6, 7, "y")], base: 1, seq: 1)
        #expect(world.text == "é😀y")
        #expect(world.lines(.ann).line(0).contains(#""range":[3,4]"#))
        #expect(world.lines(.joe).line(0).contains(#""range":[2,3]"#))
        world.push(.ann, [(3, 4, "z")], base: 2, seq: 1)
        #expect(world.lines(.eve).last?.contains(#""range":[6,7]"#) == true)
        world.push(.joe, [(1, 2, "")], base: 3, seq: 1)
        #expect(world.text == "éz")
        #expect(world.lines(.ann).last?.contains(#""range":[1,3]"#) == true)
    }

    /// Rules B8 and P17.
    @Test("a push that is committed after a reconnect is acked with its edits")
    func ackThroughResume() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.holds = \.isAppend
        world.push(.ann, [(2, 2, "c")], base: 1, seq: 1, id: .number(7))
        world.leave(.ann)
        let ann = Person.ann.back(11)
        world.open(ann, from: ("1.1", 1))
        world.release()
        #expect(
            world.lines(ann).last(where: { $0.contains("ack") })
                == #"{"type":"ack","doc":"notes","seq":1,"rev":2,"edits":[{"range":[2,2],"text":"c"}]}"#)
        #expect(world.lines(.ann).isEmpty)
    }
}
