import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("What a room sends to a session") struct RoomStreamTests {
    /// Rule O8.
    @Test("a slow session gets its changes in limited parts, without gaps")
    func credit() throws {
        var world = try RoomWorld("")
        world.openQuietly(.ann, .bob)
        world.isWrittenAtOnce = false
        let letters = String(repeating: "x", count: 50_000)
        for seq in 1...20 {
            world.push(.bob, [(0, 0, letters)], base: Revision(seq - 1), seq: Int64(seq))
            world.reportWritten(.bob)
        }
        var lines = world.lines(.ann)
        #expect(lines.count == 6)
        var revisions = lines.revisions
        while revisions.count < 20 {
            world.reportWritten(.ann)
            lines = world.lines(.ann)
            #expect(!lines.isEmpty && lines.bytes < world.limits.creditBytes + 51_000)
            revisions += lines.revisions
        }
        #expect(revisions == Array(1...20))
        world.reportWritten(.ann)
        #expect(world.lines(.ann).isEmpty)
    }

    @Test("a session gets a line only if its unwritten bytes are below the credit")
    func creditEdge() throws {
        for missing in [0, 1] {
            var limits = Limits()
            var world = try RoomWorld("")
            world.open(.ann)
            let opened = world.lines(.ann).line(0).utf8.count + 1
            limits.creditBytes = opened + missing
            world = try RoomWorld("", limits: limits)
            world.isWrittenAtOnce = false
            world.open(.ann)
            world.forget()
            world.push(.bob, .text("x"), base: 0, seq: 1)
            #expect(world.lines(.ann).count == missing)
        }
    }

    /// Rule C2.
    @Test("a segment is sent in one buffer; the receiver's own changes are acks")
    func together() throws {
        var world = try RoomWorld("")
        world.openQuietly(.ann, .bob, .eve, .joe)
        world.holds = \.isAppend
        // While Joe's push is being appended, the next two pushes wait. They then form one segment.
        world.push(.joe, [(0, 0, "j")], base: 0, seq: 1)
        for person in [Person.ann, .bob] { world.push(person, [(0, 0, "x")], base: 0, seq: 1) }
        world.release()
        for (person, types) in [
            (Person.ann, ["change", "ack", "change"]), (.bob, ["change", "change", "ack"]),
            (.eve, ["change", "change", "change"]), (.joe, ["ack", "change", "change"]),
        ] {
            #expect(world.pieces(person) == 2)
            let lines = world.lines(person)
            #expect(lines.types == types)
            #expect(lines.revisions == [1, 2, 3])
        }
    }

    @Test("a buffer has at most 16 KiB and the credit, but at least one line")
    func togetherBound() throws {
        for (length, credit, pieces, lines) in [
            (100, 256 << 10, 2, 3), (9_000, 256 << 10, 3, 3), (20_000, 256 << 10, 3, 3), (100, 1_000, 1, 1),
            // The last two lines together exceed the credit. The room sends both, because credit is left when
            // each line begins.
            (100, 1_400, 2, 3),
        ] {
            var limits = Limits()
            limits.creditBytes = credit
            var world = try RoomWorld("", limits: limits)
            world.openQuietly(.ann, .bob, .eve, .joe)
            world.isWrittenAtOnce = false
            world.holds = \.isAppend
            world.push(.joe, .text(WireString(String(repeating: "j", count: 1_000))), base: 0, seq: 1)
            let letters = String(repeating: "x", count: length)
            for person in [Person.ann, .bob] { world.push(person, [(0, 0, letters)], base: 0, seq: 1) }
            world.release()
            #expect(world.pieces(.eve) == pieces)
            #expect(world.lines(.eve).count == lines)
        }
    }

    /// Rule O8. A line may begin as long as credit is left.
    @Test("of several changes at once, a session gets what its credit allows")
    func runWithinCredit() throws {
        func linesToEve(credit: Int) throws -> [String] {
            var limits = Limits()
            limits.creditBytes = credit
            var world = try RoomWorld("", limits: limits)
            world.openQuietly(.ann, .bob, .eve, .joe)
            world.isWrittenAtOnce = false
            world.holds = \.isAppend
            // While Joe's push is being appended, the next three pushes wait. They then form one segment.
            for person in [Person.joe, .ann, .bob, Person("kim", 5)] {
                world.push(person, .text(person.participant.name), base: 0, seq: 1)
            }
            world.release()
            return world.lines(.eve)
        }
        let all = try linesToEve(credit: 10_000)
        #expect(all.types == Array(repeating: "change", count: 4))
        for credit in stride(from: 1, to: all.bytes + 100, by: 10) {
            var bytes = 0
            let allowed = all.prefix { line in
                defer { bytes += line.utf8.count + 1 }
                return bytes < credit
            }
            #expect(try linesToEve(credit: credit) == Array(allowed), "credit \(credit)")
        }
    }

    /// Rules C1 and O8.
    @Test("a session behind the window gets changes from the store first")
    func outOfWindow() throws {
        var world = try RoomWorld("")
        world.openQuietly(.ann, .bob, .eve)
        world.isWrittenAtOnce = false
        let letters = String(repeating: "y", count: 40_000)
        for seq in 1...60 {
            world.push(.eve, [(0, 0, letters)], base: Revision(seq - 1), seq: Int64(seq))
            world.reportWritten(.bob)
            world.reportWritten(.eve)
        }
        #expect(world.lines(.bob).revisions == Array(1...60))
        #expect(world.room.windowBytes <= world.limits.windowBytes)
        let received = revisions(sentTo: .ann, &world)
        #expect(received == Array(1...60))
    }

    /// The window keeps at least one revision.
    @Test("a smaller window keeps the newest revisions, and may grow again")
    func boundWindow() throws {
        var world = try RoomWorld("")
        world.openQuietly(.ann, .bob)
        world.isWrittenAtOnce = false
        let write = { (world: inout RoomWorld, seqs: ClosedRange<Int>) in
            for seq in seqs {
                world.push(.bob, [(0, 0, "y")], base: Revision(seq - 1), seq: Int64(seq))
                world.reportWritten(.bob)
            }
        }
        write(&world, 1...20)
        let whole = world.room.windowBytes
        for bound in [whole, whole - 1, 5_000] {
            world.boundWindow(to: bound)
            #expect(world.room.windowBytes <= bound && (world.room.windowBytes == whole) == (bound == whole))
        }
        world.boundWindow(to: 1)
        #expect(world.room.windowBytes > 0 && world.room.windowBytes < whole / 10)
        write(&world, 21...30)
        #expect(world.room.windowBytes < whole / 10)
        world.boundWindow(to: .max)
        write(&world, 31...50)
        #expect(world.room.windowBytes > whole)
        let received = revisions(sentTo: .ann, &world)
        #expect(received == Array(1...50))
    }

    /// The revisions that a client receives if it reads until no more come.
    private func revisions(sentTo who: Person, _ world: inout RoomWorld) -> [Int] {
        var revisions: [Int] = []
        var lines = world.lines(who)
        while !lines.isEmpty {
            revisions += lines.revisions
            world.reportWritten(who)
            lines = world.lines(who)
        }
        return revisions
    }

    /// However long the text is, a revision with a small change counts as a limited number of bytes.
    @Test("the size of a revision in the window excludes text shared with others")
    func weight() throws {
        for (length, weight) in [
            (0, 2_112..<2_120), (10_000, 3_850..<3_870), (300_000, 7_740..<7_760), (3_000_000, 7_740..<7_760),
        ] {
            var world = try RoomWorld(String(repeating: "x", count: length))
            world.openQuietly(.ann)
            world.push(.ann, [(0, 0, "y")], base: length == 0 ? 0 : 1, seq: 1)
            #expect(weight.contains(world.room.windowBytes))
        }
    }

    /// Rule C5. A session that is one revision closer to the head gets changes.
    @Test("a session that is too many revisions behind gets the whole text")
    func tooSlow() throws {
        for excess in [0, 1] {
            var world = try RoomWorld("ab", limits: .narrow)
            world.openQuietly(.ann, .bob)
            world.isWrittenAtOnce = false
            for number in 1...(world.limits.sessionBehind + 1 + excess) {
                world.push(.bob, [(0, 0, "x")], base: Revision(number), seq: Int64(number))
                world.reportWritten(.bob)
            }
            world.forget()
            world.reportWritten(.ann)
            let lines = world.lines(.ann)
            let text = String(repeating: "x", count: world.limits.sessionBehind + 1 + excess) + "ab"
            let resync =
                #"{"type":"resync","doc":"notes","epoch":"1.1","rev":23,"text":"\#(text)","reason":"too_slow"}"#
            #expect(lines == [resync] || excess == 0)
            #expect(excess == 1 || lines.types == ["change"])
        }
    }

    /// Rule B3.
    @Test("a client that resumes too many revisions behind gets the whole text", arguments: [0, 1])
    func resumedFar(excess: Int) throws {
        var world = try RoomWorld("ab", limits: .narrow)
        world.openQuietly(.bob)
        for number in 1...50 { world.push(.bob, [(0, 0, "x")], base: Revision(number), seq: Int64(number)) }
        world.open(.ann, from: ("1.1", Revision(51 - world.limits.sessionBehind - excess)))
        let lines = world.lines(.ann)
        #expect(lines.line(0).contains(#""resumed":\#(excess == 0)"#))
        if excess == 0 { #expect(lines.revisions == Array(32...51)) } else { #expect(lines.count == 1) }
    }

    /// Rules B5, C5 and A10.
    @Test("a slow session at a trimmed revision gets the text and `own`")
    func trimmed() throws {
        var world = try RoomWorld("ab", limits: .narrow)
        world.openQuietly(.ann, .bob)
        world.push(.ann, [(0, 0, "a")], base: 1, seq: 8)
        world.isWrittenAtOnce = false
        for number in 2...12 {
            world.push(.bob, [(0, 0, "x")], base: Revision(number), seq: Int64(number))
            world.reportWritten(.bob)
        }
        world.forget()
        _ = world.store.trim(world.document, through: 10)
        world.reportWritten(.ann)
        #expect(
            world.lines(.ann) == [
                #"{"type":"resync","doc":"notes","epoch":"1.1","rev":13,"text":"xxxxxxxxxxxaab","reason":"trimmed","own":{"seq":8,"rev":2}}"#
            ])
    }

    @Test("slow sessions at the same revision share one read of the store")
    func sharedReading() throws {
        var world = try RoomWorld("ab", limits: .narrow)
        world.openQuietly(.ann, .bob, .eve)
        world.isWrittenAtOnce = false
        for number in 1...11 {
            world.push(.bob, [(0, 0, "x")], base: Revision(number), seq: Int64(number))
            for _ in 0..<2 { world.reportWritten(.bob) }
        }
        world.forget()
        world.holds = \.isRead
        world.reportWritten(.ann)
        world.reportWritten(.eve)
        #expect(world.heldReads == [2])
        try world.commitElsewhere([(0, 0, "z")])
        world.release()
        world.isWrittenAtOnce = true
        world.reportWritten(.ann)
        world.reportWritten(.eve)
        let lines = world.lines(.ann)
        #expect(lines.revisions == Array(3...12) && world.lines(.eve).revisions == lines.revisions)
    }

    @Test("if a read for a slow session fails, it is retried later")
    func storeRests() throws {
        var world = try RoomWorld("ab", limits: .narrow)
        world.openQuietly(.ann, .bob)
        world.isWrittenAtOnce = false
        for number in 1...11 {
            world.push(.bob, [(0, 0, "x")], base: Revision(number), seq: Int64(number))
            world.reportWritten(.bob)
        }
        world.forget()
        world.holds = \.isRead
        world.reportWritten(.ann)
        world.answer(\.isRead, .read(.failure(.refused(.failed))))
        #expect(world.lines(.ann).isEmpty && world.held.count == 1)
        world.pass(milliseconds: 999)
        #expect(world.held.count == 1)
        world.pass(milliseconds: 1)
        #expect(world.held.count == 2)
    }

    @Test("if the lookup for `own` fails, the session waits until it is retried")
    func resyncRests() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        world.holds = { $0.isAppend || $0.isLookUp || $0.isReload }
        world.push(.ann, [(0, 0, "x")], base: 1, seq: 1)
        world.answerAppend(.documentGone)
        let old = try world.store.entry(of: world.document).get()
        let entry = DocumentEntry(
            id: old.id, name: old.name, epoch: Epoch(generation: 2, document: 1), head: 4, start: 4,
            length: old.length, updated: 5, lineBreak: old.lineBreak)
        let text = try TextBuffer("other")
        world.answer(\.isReload, .loaded(.success(LoadedDocument(entry, Snapshot(revision: 4, text: text)))))
        let lookUp = StoreCall.pusher(Person.ann.participant.pusher, in: world.document)
        #expect(world.heldCalls == [.load(world.document), lookUp])
        world.forget()
        world.answer(\.isLookUp, .pusher(.failure(.failed)))
        world.pass(milliseconds: 999)
        #expect(world.held.count == 2)
        world.pass(milliseconds: 1)
        #expect(world.heldCalls == [.load(world.document), lookUp, lookUp])
        world.answer(\.isLookUp, .pusher(.success(PusherAnswer(entry: nil, head: 4))))
        #expect(world.lines(.ann).types.contains("resync"))
    }

    @Test("a delayed ack is complete even if its revision has left the window")
    func dueOutOfWindow() throws {
        var world = try RoomWorld("ab", limits: .narrow)
        world.openQuietly(.ann, .bob)
        world.isWrittenAtOnce = false
        world.push(.bob, [(0, 0, "x")], base: 1, seq: 1)
        world.push(.bob, [(0, 0, "x")], base: 2, seq: 2)
        world.push(.ann, .text("abc"), base: 1, seq: 1, id: .number(6), wantsText: true)
        for _ in 0..<3 { world.reportWritten(.bob) }
        for number in 4...12 {
            world.push(.bob, [(0, 0, "x")], base: Revision(number), seq: Int64(number))
            for _ in 0..<3 { world.reportWritten(.bob) }
        }
        var lines: [String] = []
        for _ in 0..<20 {
            lines += world.lines(.ann)
            world.reportWritten(.ann)
        }
        #expect(lines.revisions == Array(2...13))
        #expect(
            lines.contains(
                #"{"type":"ack","id":6,"doc":"notes","seq":1,"rev":4,"edits":[{"range":[4,4],"text":"c"}],"text":"xxabc"}"#
            ))
    }

    /// Rule C4.
    @Test("a watcher with squash gets several revisions as one change")
    func squashed() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.bob, .eve, .joe)
        world.open(.ann, .watch, squashes: true)
        world.select(.bob, [(2, 2)], at: 1)
        world.select(.ann, [], at: 1)
        world.forget()
        world.holds = \.isAppend
        world.push(.bob, [(0, 0, "1")], base: 1, seq: 1)
        world.push(.eve, [(2, 2, "2")], base: 1, seq: 1)
        world.push(.joe, [(2, 2, "3")], base: 1, seq: 1)
        world.release()
        world.tick()
        #expect(
            world.lines(.ann) == [
                #"{"type":"change","doc":"notes","rev":2,"edits":[{"range":[0,0],"text":"1"}],"user":"bob","client":"p-bob-client","time":1001}"#,
                #"{"type":"change","doc":"notes","rev":4,"from":2,"edits":[{"range":[3,3],"text":"23"}]}"#,
                #"{"type":"peer","doc":"notes","session":"s2","rev":4,"selections":[[5,5]]}"#,
            ])
        // After the next squashed change, Bob's selection is sent again, but not the departure of Kim.
        let kim = Person("kim", 5)
        world.open(kim)
        world.select(kim, [], at: 4)
        world.tick()
        world.leave(kim)
        world.tick()
        #expect(world.lines(.ann).types == ["peer", "peer"])
        world.holds = \.isAppend
        for person in [Person.bob, .eve, .joe] { world.push(person, [(0, 0, "4")], base: 4, seq: 2) }
        world.release()
        world.tick()
        let lines = world.lines(.ann)
        #expect(lines.types == ["change", "change", "peer"])
        #expect(lines.last == #"{"type":"peer","doc":"notes","session":"s2","rev":7,"selections":[[8,8]]}"#)
    }

    /// Rule C4.
    @Test("a squashed change includes the receiver's own revisions")
    func squashesOwn() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        for seq in 1...3 { world.push(.ann, [(0, 0, "x")], base: Revision(seq), seq: Int64(seq)) }
        world.leave(.ann)
        let ann = Person.ann.back(11)
        world.open(ann, from: ("1.1", 1), .watch, squashes: true)
        let lines = world.lines(ann)
        #expect(lines.revisions == [4])
        #expect(lines.contains { $0.contains(#""rev":4,"from":1,"edits":[{"range":[0,0],"text":"xxx"}]"#) })
    }

    @Test("after a rename no squashed change is sent under the old name")
    func squashRenamed() throws {
        var world = try RoomWorld("ab")
        world.openQuietly(.ann)
        for seq in 1...3 { world.push(.ann, [(0, 0, "x")], base: Revision(seq), seq: Int64(seq)) }
        let kim = Person("kim", 5)
        world.open(kim, from: ("1.1", 1), .watch, squashes: true)
        #expect(world.lines(kim).filter { $0.contains(#""type":"change","doc":"notes""#) }.count == 1)
        try world.rename(to: "b", by: .orderer)
        world.name = "b"
        world.forget()
        world.open(.bob, from: ("1.1", 1), .watch, squashes: true)
        let changes = world.lines(.bob).filter { $0.contains(#""type":"change""#) }
        #expect(changes.count == 1 && changes[0].contains(#""doc":"b""#), "\(changes)")
    }

    /// Rule C4.
    @Test("a session that may push gets no squashed changes, even on request")
    func notSquashed() throws {
        var world = try RoomWorld("ab")
        world.open(.ann, squashes: true)
        world.forget()
        world.holds = \.isAppend
        for (number, person) in [Person.bob, .eve, .joe].enumerated() {
            world.push(person, .text(WireString("ab\(number)")), base: 1, seq: 1)
        }
        world.release()
        #expect(world.lines(.ann).revisions == [2, 3, 4])
    }
}

extension Limits {
    /// Limits with a small window and a small credit, so that a session soon becomes a slow reader.
    static var narrow: Limits {
        var limits = Limits()
        limits.windowBytes = 6_000
        limits.creditBytes = 1
        limits.sessionBehind = 20
        return limits
    }
}
