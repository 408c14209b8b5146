import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("hub: notes and suggestions")
struct HubNoteTests {
    private let world: ServerWorld
    private let ann: TestClient

    private static let read = Grants(only: Grant(.read, to: .prefix("")))
    private static let note = Grants(only: Grant(.note, to: .prefix("")))

    init() {
        world = ServerWorld {
            $0.notes = 3
            $0.noteBytes = 600
        }
        world.makesRoom = { WholeRoom($0, $1.settings, at: $1.now) }
        world.document("a", "one two three")
        ann = world.connect("ann")
    }

    /// Adds a note on the word "two", or another note.
    @discardableResult
    private func add(_ client: TestClient, _ fields: String = #""rev":1,"range":[4,7],"text":"Why?""#)
        -> String
    {
        client.asks(#"{"type":"add_note","doc":"a",\#(fields)}"#).joined()
    }

    private func list(_ client: TestClient, _ fields: String = "") -> String {
        client.askedInFull(#"{"type":"list_notes","doc":"a"\#(fields)}"#).joined()
    }

    private func push(_ edits: String, base: Int, seq: Int = 1) {
        let bob = world.connect("bob", client: "client-\(base)")
        _ = bob.asks(#"{"type":"open","doc":"a"}"#)
        let answer = bob.asks(
            #"{"type":"push","doc":"a","epoch":"1.1","base":\#(base),"seq":\#(seq),"edits":[\#(edits)]}"#)
        #expect(answer.joined().contains(#""type":"ack""#))
    }

    /// Rules N1, N3 and N7.
    @Test("a note keeps its words while others change the text around them")
    func place() {
        #expect(add(ann) == #"{"type":"note_written","doc":"a","note":1,"version":1}"#)
        push(#"{"range":[0,0],"text":"zero "}"#, base: 1)
        #expect(
            list(ann)
                == #"{"type":"notes","doc":"a","epoch":"1.1","rev":2,"count":1,"whole":true,"rights":"write","#
                + #""notes":[{"note":1,"version":1,"range":[9,12],"quote":"two","text":"Why?","user":"ann","#
                + #""time":10000,"state":"open"}]}"#)
        push(#"{"range":[8,13],"text":"-"}"#, base: 2)
        #expect(list(ann).contains(#""range":[9,9],"quote":"two""#))
    }

    /// Rule N1.
    @Test("a suggestion is rebased, and its words are those that it changes")
    func suggestion() {
        add(ann, #""rev":1,"edits":[{"range":[4,7],"text":"2"},{"range":[8,13],"text":"3"}],"text":"""#)
        push(#"{"range":[0,3],"text":"1"}"#, base: 1)
        let listed = list(ann)
        #expect(listed.contains(#""range":[2,11],"quote":"two three","text":"","#))
        #expect(listed.contains(#""edits":[{"range":[2,5],"text":"2"},{"range":[6,11],"text":"3"}]"#))
    }

    /// Rule L1.
    @Test("ranges and edits have the unit of the connection", arguments: ["utf-8", "utf-16", "utf-32"])
    func units(unit: String) {
        world.document("b", "é𝄞x")
        let client = world.connect("eve", units: unit)
        let (start, end) = unit == "utf-8" ? (2, 6) : unit == "utf-16" ? (1, 3) : (1, 2)
        let range = "[\(start),\(end)]"
        #expect(
            client.asks(
                #"{"type":"add_note","doc":"b","rev":1,"edits":[{"range":\#(range),"text":"y"}],"text":"n"}"#
            ).joined().contains("note_written"))
        let listed = client.askedInFull(#"{"type":"list_notes","doc":"b"}"#).joined()
        #expect(listed.contains(#""range":\#(range),"quote":"𝄞""#))
        #expect(listed.contains(#""edits":[{"range":\#(range),"text":"y"}]"#))
        let inside = unit == "utf-32" ? "[9,10]" : "[\(start + 1),\(end)]"
        #expect(
            client.asks(#"{"type":"add_note","doc":"b","rev":1,"range":\#(inside),"text":"n"}"#) == [
                "bad_range"
            ])
    }

    /// Rule N2.
    @Test("an answer belongs to the note that begins a thread, and has no place")
    func answers() {
        add(ann)
        #expect(add(ann, #""parent":1,"text":"Because.""#).contains(#""note":2"#))
        #expect(list(ann).contains(#"{"note":2,"version":1,"parent":1,"quote":"","text":"Because.","#))
        #expect(add(ann, #""parent":2,"text":"x""#) == "not_found")
        #expect(add(ann, #""parent":9,"text":"x""#) == "not_found")
        #expect(add(ann, #""parent":1,"rev":1,"range":[0,1],"text":"x""#) == "bad_message")
        let edited =
            #"{"type":"change_note","doc":"a","note":2,"version":1,"rev":1,"range":[0,1],"text":"x"}"#
        #expect(ann.asks(edited) == ["bad_message"])
    }

    @Test(
        "a malformed change is refused",
        arguments: [
            "", #","text":"x","state":"open""#, #","rev":1,"range":[0,1],"state":"open""#,
            #","range":[0,1],"text":"x""#,
            #","text":"""#,
        ])
    func malformedChange(fields: String) {
        add(ann)
        #expect(
            ann.asks(#"{"type":"change_note","doc":"a","note":1,"version":1\#(fields)}"#) == ["bad_message"])
    }

    @Test(
        "a malformed note is refused",
        arguments: [
            (#""text":"""#, "bad_message"), (#""text":"a\r\nb""#, "bad_text"),
            (#""rev":1,"range":[0,1],"text":"""#, "bad_message"),
            (#""range":[0,1],"text":"x""#, "bad_message"),
            (#""rev":1,"edits":[],"text":"x""#, "bad_message"),
            (#""rev":1,"range":[4,99],"text":"x""#, "bad_range"),
            (#""rev":1,"edits":[{"range":[4,99],"text":""}],"text":"x""#, "bad_range"),
            (#""rev":1,"edits":[{"range":[4,5],"text":"\r"}],"text":"x""#, "bad_text"),
            (
                #""rev":1,"edits":[{"range":[4,5],"text":""},{"range":[0,1],"text":""}],"text":"x""#,
                "bad_edits"
            ),
            (#""rev":9,"range":[0,1],"text":"x""#, "base_ahead"),
        ])
    func malformed(fields: String, code: String) {
        #expect(add(ann, fields) == code)
    }

    /// Rule N4.
    @Test("who may read lists notes, and who may note writes them and changes their own")
    func rights() {
        add(ann)
        let (reader, noter) = (world.connect("rea", Self.read), world.connect("nia", Self.note))
        #expect(list(reader).contains(#""rights":"read""#))
        #expect(add(reader) == "forbidden")
        #expect(list(noter).contains(#""rights":"note""#))
        #expect(add(noter).contains(#""note":2"#))
        for request in [
            #"{"type":"change_note","doc":"a","note":1,"version":1,"text":"x"}"#,
            #"{"type":"change_note","doc":"a","note":1,"version":1,"state":"resolved"}"#,
            #"{"type":"remove_note","doc":"a","note":1,"version":1}"#,
        ] {
            #expect(noter.asks(request) == ["forbidden"])
            #expect(reader.asks(request) == ["forbidden"])
        }
        #expect(
            noter.asks(#"{"type":"push","doc":"a","base":1,"seq":1,"text":"x"}"#) == ["forbidden"])
        #expect(
            ann.asks(#"{"type":"change_note","doc":"a","note":2,"version":1,"text":"x"}"#) == ["forbidden"])
        #expect(
            noter.asks(#"{"type":"change_note","doc":"a","note":2,"version":1,"text":"How?"}"#).joined()
                .contains(#""version":2"#))
        #expect(
            ann.asks(#"{"type":"change_note","doc":"a","note":2,"version":2,"state":"resolved"}"#).joined()
                .contains(#""version":3"#))
        #expect(
            noter.asks(#"{"type":"remove_note","doc":"a","note":2,"version":3}"#) == [#"{"type":"done"}"#])
        let stranger = world.connect("sam", .none)
        #expect(list(stranger).contains("not_found"))
        #expect(add(stranger) == "not_found")
    }

    /// Rule N5.
    @Test("a repeated request writes no second note")
    func repeats() {
        let fields = #""request":"r1","rev":1,"range":[4,7],"text":"Why?""#
        let first = add(ann, fields)
        #expect(add(ann, fields) == first)
        #expect(list(ann).contains(#""count":1,"#))
        // Another user has chosen the same id.
        #expect(add(world.connect("bob"), fields).contains(#""note":2"#))
        _ = ann.asks(#"{"type":"change_note","doc":"a","note":1,"version":1,"text":"How?"}"#)
        #expect(add(ann, fields) == #"{"type":"note_written","doc":"a","note":1,"version":2}"#)
    }

    /// Rules N6 and N9.
    @Test("a change names the version that was seen, and a rejected suggestion is final")
    func versions() {
        add(ann)
        #expect(
            ann.asks(#"{"type":"change_note","doc":"a","note":1,"version":1,"state":"resolved"}"#)
                == [#"{"type":"note_written","doc":"a","note":1,"version":2}"#])
        let late = #"{"type":"change_note","doc":"a","note":1,"version":1,"state":"open"}"#
        #expect(ann.asks(late) == ["base_behind"])
        #expect(
            ann.askedInFull(late)[0].contains("note 1 has version 2 now"))
        #expect(
            ann.asks(#"{"type":"change_note","doc":"a","note":1,"version":2,"state":"rejected"}"#).joined()
                .contains(#""version":3"#))
        #expect(
            list(ann).contains(
                #"{"note":1,"version":3,"quote":"two","text":"Why?","user":"ann","time":10000,"state":"rejected"}"#
            ))
        #expect(
            ann.asks(#"{"type":"change_note","doc":"a","note":1,"version":3,"state":"open"}"#) == [
                "forbidden"
            ])
        #expect(
            ann.asks(#"{"type":"remove_note","doc":"a","note":1,"version":3}"#) == [#"{"type":"done"}"#])
        #expect(
            ann.asks(#"{"type":"remove_note","doc":"a","note":1,"version":3}"#) == ["not_found"])
    }

    /// Accepts a suggestion, and returns the answer.
    private func accept(_ client: TestClient, version: Int = 1) -> String {
        client.askedInFull(
            #"{"type":"change_note","doc":"a","note":1,"version":\#(version),"state":"accepted"}"#)[0]
    }

    private func text() -> String { ann.askedInFull(#"{"type":"read","doc":"a"}"#)[0] }

    private static let two = #""rev":1,"edits":[{"range":[4,7],"text":"2"}],"text":"""#

    /// Rule N9.
    @Test("an accepted suggestion is one revision of who accepts, rebased over what others changed")
    func acceptance() {
        let eve = world.connect("eve")
        #expect(eve.asks(#"{"type":"open","doc":"a","notes":true}"#) == ["opened"])
        add(world.connect("nia", Self.note), Self.two)
        push(#"{"range":[0,0],"text":"zero "}"#, base: 1)
        _ = eve.heard()
        #expect(accept(ann) == #"{"type":"note_written","doc":"a","note":1,"version":2,"rev":3}"#)
        #expect(text().contains(#""rev":3,"text":"zero one 2 three""#))
        #expect(
            eve.heard() == [
                #"{"type":"change","doc":"a","rev":3,"edits":[{"range":[9,12],"text":"2"}],"user":"ann","#
                    + #""client":"p-\u0000note-1","time":10000}"#, #"{"type":"noted","doc":"a"}"#,
            ])
        #expect(
            list(ann).contains(
                #"{"note":1,"version":2,"quote":"two","text":"","user":"nia","time":10000,"state":"accepted","accepted":3}"#
            ))
        #expect(accept(ann).contains(#""code":"base_behind""#))
        #expect(accept(ann, version: 2).contains(#""code":"forbidden""#))
        #expect(text().contains(#""rev":3,"#))
        // The room goes on behind the revision that it has not made itself.
        push(#"{"range":[0,5],"text":""}"#, base: 3)
        #expect(text().contains(#""rev":4,"text":"one 2 three""#))
    }

    /// Rules N4 and N9.
    @Test("only who may write accepts, and only suggestions can be accepted")
    func refusedAcceptances() {
        let noter = world.connect("nia", Self.note)
        add(noter, Self.two)
        #expect(accept(noter).contains(#""code":"forbidden""#))
        #expect(accept(ann, version: 2).contains(#""code":"base_behind""#))
        _ = ann.asks(#"{"type":"remove_note","doc":"a","note":1,"version":1}"#)
        #expect(accept(ann).contains(#""code":"not_found""#))
        add(ann)
        let plain = #"{"type":"change_note","doc":"a","note":2,"version":1,"state":"accepted"}"#
        #expect(ann.askedInFull(plain)[0].contains("note 2 suggests nothing"))
        #expect(text().contains(#""rev":1,"#))
    }

    @Test("a suggestion that changes nothing any more is accepted without a revision")
    func emptyAcceptance() {
        add(ann, #""rev":1,"edits":[{"range":[3,7],"text":""}],"text":"""#)
        push(#"{"range":[3,7],"text":""}"#, base: 1)
        #expect(accept(ann) == #"{"type":"note_written","doc":"a","note":1,"version":2}"#)
        #expect(text().contains(#""rev":2,"text":"one three""#))
        #expect(list(ann).contains(#""state":"accepted"}"#))
    }

    @Test("a suggestion that would make the document too large is refused, and stays open")
    func largeAcceptance() {
        let world = ServerWorld { $0.announced.document = 8 }
        world.document("a", "12345678")
        let ann = world.connect("ann")
        _ = ann.asks(#"{"type":"add_note","doc":"a","rev":1,"edits":[{"range":[0,0],"text":"x"}],"text":""}"#)
        #expect(accept(ann).contains(#""code":"too_large""#))
        #expect(
            ann.askedInFull(#"{"type":"list_notes","doc":"a"}"#)[0].contains(#""state":"open""#))
    }

    @Test("a suggestion that is accepted while others type is moved to their text first")
    func acceptanceInARace() {
        add(ann, Self.two)
        world.holds = { if case .notes(.accept) = $0 { true } else { false } }
        ann.says(#"{"type":"change_note","doc":"a","note":1,"version":1,"state":"accepted"}"#)
        push(#"{"range":[0,0],"text":"zero "}"#, base: 1)
        _ = ann.heard()
        world.release()
        #expect(ann.heard() == [#"{"type":"note_written","doc":"a","note":1,"version":2,"rev":3}"#])
        #expect(text().contains(#""text":"zero one 2 three""#))
    }

    @Test("at random, accepting equals a push at the same moment, and every session gets the same text")
    func randomAcceptances() throws {
        for seed in 0..<UInt64(40) {
            let world = ServerWorld(seed: seed)
            world.makesRoom = { WholeRoom($0, $1.settings, at: $1.now) }
            world.document("a", "one two three")
            let (ann, bob) = (world.connect("ann"), world.connect("bob"))
            _ = ann.asks(
                #"{"type":"add_note","doc":"a","rev":1,"edits":[{"range":[4,7],"text":"2"}],"text":""}"#)
            _ = bob.asks(#"{"type":"open","doc":"a"}"#)
            // Both are under way at the same time, in any order.
            bob.send([
                #"{"type":"push","doc":"a","epoch":"1.1","base":1,"seq":1,"edits":[{"range":[0,4],"text":"zero "}]}"#
            ])
            ann.send([#"{"type":"change_note","doc":"a","note":1,"version":1,"state":"accepted"}"#])
            world.run()
            let text = ann.askedInFull(#"{"type":"read","doc":"a"}"#)[0]
            #expect(text.contains(#""rev":3,"text":"zero 2 three""#), "seed \(seed): \(text)")
            let lines = bob.heard().filter { $0.contains(#""edits""#) || $0.contains(#""type":"ack""#) }
            #expect(lines.count == 2, "seed \(seed): \(lines)")
        }
    }

    @Test("a client that has read an accepted suggestion resumes there before the hub has the store's answer")
    func resumedDuringAcceptance() {
        let eve = world.connect("eve")
        _ = ann.asks(#"{"type":"open","doc":"a"}"#)
        add(ann, Self.two)
        world.holdsAnswer = { if case .notes(.accept) = $0 { true } else { false } }
        ann.says(#"{"type":"change_note","doc":"a","note":1,"version":1,"state":"accepted"}"#)
        #expect(
            eve.askedInFull(#"{"type":"read","doc":"a"}"#)[0].contains(#""rev":2,"text":"one 2 three""#))
        let opened = eve.askedInFull(#"{"type":"open","doc":"a","epoch":"1.1","rev":2}"#)
        #expect(opened[0].contains(#""epoch":"1.1","rev":2,"resumed":true"#), "\(opened)")
        world.release()
        #expect(eve.heard().filter { !$0.contains("check") }.isEmpty)
        #expect(text().contains(#""epoch":"1.1","rev":2"#))
    }

    @Test("a document that is opened or renamed while a suggestion is accepted has its revision")
    func openedDuringAcceptance() {
        for seed in 0..<UInt64(200) {
            let world = ServerWorld(seed: seed)
            world.makesRoom = { WholeRoom($0, $1.settings, at: $1.now) }
            world.document("a", "one two three")
            let (ann, bob, eve) = (world.connect("ann"), world.connect("bob"), world.connect("eve"))
            _ = ann.asks(
                #"{"type":"add_note","doc":"a","rev":1,"edits":[{"range":[4,7],"text":"2"}],"text":""}"#)
            ann.send([#"{"type":"change_note","doc":"a","note":1,"version":1,"state":"accepted"}"#])
            let name = seed % 2 == 0 ? "a" : "b"
            if name == "b" { bob.send([#"{"type":"rename","doc":"a","to":"b"}"#]) }
            eve.send([#"{"type":"open","doc":"\#(name)"}"#])
            world.run()
            let lines = eve.heard()
            let isOpen = lines.contains { $0.contains(#""type":"opened""#) }
            #expect(isOpen || name == "b", "seed \(seed): \(lines)")
            let isAccepted = ann.heard().contains { $0.contains("note_written") }
            #expect(isAccepted || name == "b", "seed \(seed)")
            if isOpen, isAccepted {
                #expect(lines.contains { $0.contains(#""rev":2,"#) }, "seed \(seed): \(lines)")
            }
        }
    }

    @Test("an acceptance whose outcome the store does not know is looked for, and sessions are sent `noted`")
    func unknownAcceptance() {
        let eve = world.connect("eve")
        #expect(eve.asks(#"{"type":"open","doc":"a","notes":true}"#) == ["opened"])
        add(ann, Self.two)
        _ = eve.heard()
        world.refuses = { if case .notes(.accept) = $0 { true } else { false } }
        #expect(accept(ann).contains(#""code":"storage_failed""#))
        #expect(eve.heard() == [#"{"type":"noted","doc":"a"}"#])
        world.refuses = { _ in false }
        #expect(accept(ann).contains(#""rev":2"#))
        #expect(eve.heard().count == 2)
    }

    /// Rule N8.
    @Test("a session is sent `noted` when its user gets the right to write notes")
    func changedRights() throws {
        let nia = world.connect("nia", Self.read)
        #expect(nia.asks(#"{"type":"open","doc":"a","notes":true}"#) == ["opened"])
        world.hubEvent(.grantsChanged(Self.note, TokenID(2)))
        world.run()
        #expect(nia.heard() == [#"{"type":"noted","doc":"a"}"#])
        #expect(list(nia).contains(#""rights":"note""#))
    }

    /// Rule N7.
    @Test("a list has the notes after a count, or all of them if one was removed since, in pages")
    func pages() {
        for text in ["x", "y", "z"] { add(ann, #""text":"\#(text)""#) }
        let since = list(ann, #","since":2"#)
        #expect(since.contains(#""count":3,"rights""#))
        #expect(!since.contains(#""note":2"#))
        #expect(since.contains(#""note":3"#))
        let page = list(ann, #","limit":2"#)
        #expect(page.hasSuffix(#"}],"more":true}"#))
        #expect(!page.contains(#""note":3"#))
        #expect(!list(ann, #","after":2,"limit":2"#).contains("more"))
        _ = ann.asks(#"{"type":"remove_note","doc":"a","note":1,"version":1}"#)
        #expect(list(ann, #","since":3"#).contains(#""count":4,"whole":true,"#))
        #expect(list(ann, #","since":9"#).contains(#""whole":true"#))
        #expect(list(ann, #","since":4"#).contains(#""count":4,"rights":"write","notes":[]}"#))
    }

    /// Rule N8.
    @Test("sessions that want notes are told of changes, others are not")
    func bell() {
        let (eve, bob) = (world.connect("eve"), world.connect("bob"))
        #expect(eve.asks(#"{"type":"open","doc":"a","notes":true}"#) == ["opened"])
        #expect(bob.asks(#"{"type":"open","doc":"a"}"#) == ["opened"])
        add(ann)
        #expect(eve.heard() == [#"{"type":"noted","doc":"a"}"#])
        #expect(bob.heard().isEmpty)
        _ = ann.asks(#"{"type":"change_note","doc":"a","note":1,"version":1,"state":"resolved"}"#)
        #expect(eve.heard() == [#"{"type":"noted","doc":"a"}"#])
        _ = list(ann)
        #expect(eve.heard().isEmpty)
        _ = ann.asks(#"{"type":"remove_note","doc":"a","note":1,"version":2}"#)
        #expect(eve.heard() == [#"{"type":"noted","doc":"a"}"#])
    }

    /// Rule N10.
    @Test("a document has a limited number of notes, and limited bytes of them")
    func limits() {
        let long = String(repeating: "x", count: 201)
        #expect(add(ann, #""text":"\#(long)""#).contains(#""note":1"#))
        #expect(add(ann, #""text":"\#(long)""#).contains(#""note":2"#))
        #expect(add(ann, #""text":"\#(long)""#) == "too_large")
        #expect(add(ann, #""text":"\#(long.dropFirst(3))""#).contains(#""note":3"#))
        #expect(add(ann, #""text":"x""#) == "too_large")
        for (bytes, code) in [(Limits.suggestion, "too_large"), (Limits.suggestion + 1, "too_large")] {
            let text = String(repeating: "x", count: bytes)
            let line = ann.askedInFull(
                #"{"type":"add_note","doc":"a","rev":1,"edits":[{"range":[0,0],"text":"\#(text)"}],"text":""}"#
            )
            #expect(line[0].contains(#""code":"\#(code)""#))
            #expect(line[0].contains("edits: insert") == (bytes > Limits.suggestion))
        }
    }

    /// Rule N11.
    @Test("a place in a text that is over 1,000 revisions behind is refused")
    func behind() {
        _ = ann.asks(#"{"type":"open","doc":"a"}"#)
        for seq in 1...1_000 {
            let push = #""epoch":"1.1","base":\#(seq),"seq":\#(seq),"edits":[{"range":[0,0],"text":"x"}]"#
            _ = ann.asks(#"{"type":"push","doc":"a",\#(push)}"#)
        }
        #expect(add(ann).contains(#""note":1"#))
        #expect(list(ann).contains(#""rev":1001,"#))
        #expect(list(ann).contains(#""range":[1004,1007],"quote":"two""#))
        push(#"{"range":[0,0],"text":"y"}"#, base: 1_001)
        let late = ann.askedInFull(#"{"type":"add_note","doc":"a","rev":1,"range":[4,7],"text":"x"}"#)[0]
        #expect(late.contains(#""code":"base_trimmed""#))
        #expect(late.hasSuffix(#""epoch":"1.1","rev":1002,"cause":"work"}"#))
    }

    /// Rule N12.
    @Test("notes stay with a renamed, deleted and copied document")
    func lifetime() {
        add(ann)
        _ = ann.asks(#"{"type":"copy","doc":"a","to":"b"}"#)
        #expect(ann.askedInFull(#"{"type":"list_notes","doc":"b"}"#)[0].contains(#""quote":"two""#))
        _ = ann.asks(#"{"type":"rename","doc":"a","to":"c"}"#)
        #expect(ann.askedInFull(#"{"type":"list_notes","doc":"c"}"#)[0].contains(#""quote":"two""#))
        _ = ann.asks(#"{"type":"delete","doc":"c"}"#)
        _ = ann.asks(#"{"type":"undelete","number":1}"#)
        #expect(ann.askedInFull(#"{"type":"list_notes","doc":"c"}"#)[0].contains(#""quote":"two""#))
    }

    @Test("a request whose document is lost, or whose store fails, gets its error")
    func failures() {
        world.refuses = { if case .notes = $0 { true } else { false } }
        #expect(add(ann) == "storage_failed")
        #expect(list(ann).contains("storage_failed"))
    }

    @Test("notes count for the rate of pushes, and lists do not")
    func rate() {
        let world = ServerWorld { $0.announced.pushesPerSecond = 1 }
        world.document("a", "x")
        let ann = world.connect("ann")
        let add = #"{"type":"add_note","doc":"a","text":"x"}"#
        #expect(ann.asks(add).joined().contains("note_written"))
        #expect(ann.asks(add).joined().contains("note_written"))
        #expect(ann.asks(add) == ["rate_limited"])
        for _ in 0..<5 { #expect(ann.askedInFull(#"{"type":"list_notes","doc":"a"}"#)[0].contains("notes")) }
        world.pass(milliseconds: 1_000)
        #expect(ann.asks(add).joined().contains("note_written"))
    }
}
