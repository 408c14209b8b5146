import CaretClient
import CaretCore
import CaretReplica
import CaretWire
import Testing

@Suite("A document as a value") struct DocumentStateTests {
    private let author = WireChange.Author(user: "bob", client: "c-bob", time: 1)

    private func change(_ revision: Revision, _ start: Int, _ end: Int, _ text: WireString) -> ServerMessage {
        .change(
            WireChange(
                document: "notes", revision: revision, origin: .one(author),
                edits: [WireEdit(WireRange(start, end), text)]))
    }

    private func ack(
        _ seq: Int, _ revision: Revision, _ edits: [WireEdit]? = nil, document: WireString = "notes"
    ) -> ServerMessage {
        .ack(Ack(document: document, seq: seq, revision: revision, edits: edits))
    }

    @Test("it opens after each welcome: the first time to make it, then from where it is")
    func opens() throws {
        var talk = DocumentTalk(creating: true)
        #expect(talk.welcomed() == [.open(1, creating: true)])
        #expect(
            talk.hear(.opened(.text("ab", at: 4)), .number(1)) == [
                try .edited(0, 0, "ab"), .tell(.state(.saved)),
            ])
        #expect(talk.cutOff() == [.tell(.state(.offline))])
        #expect(talk.welcomed() == [.open(2, from: 4)])
        #expect(talk.hear(.opened(.resumed(at: 4)), .number(2)) == [.tell(.state(.saved))])
        #expect(talk.text == "ab")
    }

    @Test("who watches asks for several revisions in one, and pushes nothing")
    func watches() throws {
        var talk = DocumentTalk(mode: .watch)
        let open = Open(document: "notes", mode: .watch, squash: true)
        #expect(talk.welcomed() == [.send(.open(open), id: .number(1))])
        _ = talk.hear(.opened(.text("ab", at: 4)), .number(1))
        #expect(try talk.type(0, 0, "x") == [.tell(.state(.refused(.forbidden)))])
    }

    @Test("what is typed is pushed and saved with its ack; what others change is told, with one's own carets")
    func typed() throws {
        var talk = try DocumentTalk.opened("ab")
        _ = try talk.select(Selection(caret: 2))
        #expect(try talk.type(1, 1, "x") == [.push(1, base: 1, 1, 1, "x"), .tell(.state(.sending))])
        #expect(talk.hear(change(2, 0, 0, "y")) == [try .edited(0, 0, "y", selections: Selection(caret: 4))])
        #expect(talk.hear(ack(1, 3, [WireEdit(WireRange(2, 2), "x")])) == [.tell(.state(.saved))])
        #expect(talk.text == "yaxb" && talk.state.replica.revision == 3)
    }

    @Test("a selection goes out in the text it is in, and a place that there is not is refused")
    func selected() throws {
        var talk = try DocumentTalk.opened("a😀")
        let select = Select(document: "notes", revision: 1, selections: [WireSelection(1, 3)])
        #expect(try talk.select(Selection(anchor: 1, head: 3)) == [.send(.select(select), id: nil)])
        #expect(throws: TextError.self) { try talk.select(Selection(caret: 2)) }
    }

    @Test("what is taken back and brought back is pushed and told like an edit")
    func undone() throws {
        var talk = try DocumentTalk.opened("ab")
        _ = try talk.type(1, 1, "x")
        _ = talk.hear(ack(1, 2))
        #expect(
            talk.undo() == [try .edited(1, 2, ""), .push(2, base: 2, 1, 2, ""), .tell(.state(.sending))])
        _ = talk.hear(ack(2, 3))
        #expect(talk.redo().first == (try .edited(1, 1, "x")))
        #expect(talk.text == "axb")
    }

    @Test("it knows what is meant for it: by its name, and of answers those to its last open")
    func isMeant() throws {
        var talk = DocumentTalk()
        _ = talk.welcomed()
        _ = talk.cutOff()
        _ = talk.welcomed()
        let opened = ServerMessage.opened(.text("ab", at: 1))
        #expect(talk.isMeant(by: opened, .number(2)))
        #expect(!talk.isMeant(by: opened, .number(1)) && !talk.isMeant(by: opened))
        let refused = ServerMessage.error(ErrorReport(.notFound, "no", document: "notes"))
        #expect(talk.isMeant(by: refused, .number(2)))
        #expect(!talk.isMeant(by: refused, .number(1)) && !talk.isMeant(by: refused))
        _ = talk.hear(opened, .number(2))
        let ofPush = ServerMessage.error(ErrorReport(.tooLarge, "no", document: "notes", seq: 1))
        #expect(
            talk.isMeant(by: ofPush) && talk.isMeant(by: ack(1, 2))
                && talk.isMeant(by: .bye(Bye(reason: .shuttingDown))))
        #expect(!talk.isMeant(by: ack(1, 2, document: "other")))
    }

    @Test(
        "who has it open is known from the opening and from what is said later, and forgotten with the session"
    )
    func peers() throws {
        var talk = try DocumentTalk.opened("abc", peers: [.named("ann", WireSelection(1, 1))])
        let ann = DocumentPeer(session: "s-ann", .named("ann"), selections: [Selection(caret: 1)])
        let bob = DocumentPeer(session: "s-bob", .named("bob"), selections: [Selection(caret: 3)])
        #expect(talk.state.peers == [ann] && ann.person == Person(name: "ann"))
        func selected(_ introduction: Introduction?) -> ServerMessage {
            let news = PeerChange.News.selected(
                revision: 1, selections: [WireSelection(3, 3)], introduction: introduction)
            return .peer(PeerChange(document: "notes", session: "s-bob", news: news))
        }
        // Nobody is shown of whom it is not known who it is.
        #expect(talk.hear(selected(nil)) == [.tell(.peers([ann]))])
        #expect(talk.hear(selected(.named("bob"))) == [.tell(.peers([ann, bob]))])
        let left = PeerChange(document: "notes", session: "s-ann", news: .left)
        #expect(talk.hear(.peer(left)) == [.tell(.peers([bob]))])
        #expect(talk.cutOff() == [.tell(.peers([])), .tell(.state(.offline))])
    }

    @Test("a refusal is remembered as the server worded it, and waited for as long as it says")
    func refused() throws {
        var talk = try DocumentTalk.opened("ab")
        _ = try talk.type(0, 0, "x")
        let error = ErrorReport(.overloaded, "later", document: "notes", seq: 1, retryAfterMilliseconds: 70)
        #expect(talk.hear(.error(error)) == [])
        #expect(talk.state.retryAt == Moment(milliseconds: 70))
        #expect(talk.wait(69) == [])
        #expect(talk.wait(1) == [.push(1, base: 1, 0, 0, "x")])
        #expect(talk.state.retryAt == nil)
        let final = ErrorReport(.tooLarge, "it has 9 bytes, and 8 may be", document: "notes", seq: 1)
        #expect(talk.hear(.error(final)) == [.tell(.state(.refused(.tooLarge)))])
        #expect(talk.state.refusal == ServerRefusal(final))
        #expect(talk.text == "xab")
        #expect(talk.discard() == [try .edited(0, 1, ""), .tell(.state(.saved))])
    }

    @Test("a document that is not there is refused, and asked for again by who wants it")
    func notThere() {
        var talk = DocumentTalk()
        _ = talk.welcomed()
        let error = ServerMessage.error(ErrorReport(.notFound, "there is none"))
        #expect(talk.hear(error, .number(1)) == [.tell(.state(.refused(.notFound)))])
        #expect(talk.retry() == [.open(2), .tell(.state(.opening))])
    }

    /// Rule L2.
    @Test("a push that is too long for a line is refused here, and the text stays")
    func overlong() throws {
        var talk = try DocumentTalk.opened("ab")
        guard case .send(let push, _) = try talk.type(0, 0, "x").first else {
            Issue.record("what is typed is not pushed")
            return
        }
        #expect(talk.overlong(push) == [.tell(.state(.refused(.lineTooLong)))])
        #expect(talk.overlong(.list(List())) == [])
        #expect(talk.text == "xab")
    }

    @Test("it goes by the new name once it is renamed, and a push in flight is sent again by that")
    func renamed() throws {
        var talk = try DocumentTalk.opened("ab")
        _ = try talk.type(0, 0, "x")
        let resume = WirePosition(epoch: "e", revision: 1)
        #expect(
            talk.hear(.gone(Gone(document: "notes", epoch: "e", reason: .renamed, to: "old"))) == [
                .tell(.renamed("old")),
                .send(.open(Open(document: "old", resume: resume)), id: .number(2)),
                .tell(.state(.offline)),
            ])
        guard case .send(.push(let push), nil) = talk.hear(.opened(.resumed(at: 1)), .number(2))?.first
        else {
            Issue.record("the push is not sent again")
            return
        }
        #expect(push.document == "old" && push.seq == 1 && push.base == 1)
    }

    @Test("whoever may not read the new name is told that it is gone, as of a deletion and of damage")
    func gone() throws {
        for (gone, refusal) in [
            (Gone(document: "notes", epoch: "e", reason: .renamed), Refusal.notFound),
            (Gone(document: "notes", epoch: "e", reason: .deleted), .notFound),
            (Gone(document: "notes", epoch: "e", reason: .damaged), .damaged),
        ] {
            var talk = try DocumentTalk.opened("ab")
            #expect(talk.hear(.gone(gone)) == [.tell(.state(.refused(refusal)))])
            #expect(talk.text == "ab")
        }
    }

    @Test("a text and edits that are none are told apart from those that only do not fit")
    func impossible() throws {
        var talk = try DocumentTalk.opened("ab")
        let backwards = ServerMessage.change(
            WireChange(
                document: "notes", revision: 2, origin: .one(author),
                edits: [WireEdit(WireRange(0, 0), "a\rb")]))
        #expect(talk.hear(backwards) == nil)
        // Of what does not fit the replica asks for the whole text.
        let open = DocumentAction.open(2)
        #expect(talk.hear(change(2, 7, 9, "x"))?.contains(open) == true)
    }

    @Test("a check that does not hold is reported, and the whole text asked for")
    func diverged() throws {
        var talk = try DocumentTalk.opened("ab")
        let check = ServerMessage.check(Check(document: "notes", revision: 1, length: 2, crc32: 7))
        #expect(
            talk.hear(check) == [
                .send(.diverged(Diverged(document: "notes", revision: 1)), id: nil),
                .send(.close(Close(document: "notes")), id: nil), .open(2), .tell(.state(.offline)),
            ])
    }

    @Test("a document is never called saved while a view holds text that is not in it, whatever the reason")
    func withheld() throws {
        for state in [SavingState.sending, .refused(.badText)] {
            var talk = try DocumentTalk.opened("ab")
            talk.bind(1)
            #expect(talk.withhold(state, in: 1) == [.tell(.state(state))])
            #expect(talk.withhold(state, in: 1) == [])
            #expect(DocumentGoal.saved.answer(talk.state).isSuccess != true)
            // What is committed meanwhile changes nothing of it.
            _ = try talk.type(0, 0, "x")
            #expect(talk.state.state == .sending)
            #expect(talk.hear(ack(1, 2)) == (state == .sending ? [] : [.tell(.state(state))]))
            #expect(try talk.type(0, 0, "y", in: 1).1.last != .tell(.state(.saved)))
            #expect(talk.hear(ack(2, 3)) == [.tell(.state(.saved))])
            _ = talk.withhold(state, in: 1)
            #expect(talk.unbind(1) == [.tell(.state(.saved))])
        }
    }

    @Test("each view is told what it has not been shown, and nothing of what its own person did")
    func views() throws {
        var talk = try DocumentTalk.opened("ab")
        talk.bind(1)
        talk.bind(2)
        _ = talk.hear(change(2, 0, 0, "y"))
        // The person of the first view has not seen that yet.
        let (change, actions) = try talk.type(2, 2, "x", in: 1)
        #expect(try change == Change([Edit(0..<0, "y")]))
        #expect(actions.first == .push(1, base: 2, 3, 3, "x"))
        #expect(talk.text == "yabx")
        #expect(try talk.look(in: 2) == Change([Edit(0..<0, "y"), Edit(2..<2, "x")]))
        #expect(try talk.look(in: 1).isEmpty && talk.look(in: 2).isEmpty)
        _ = try talk.type(0, 1, "")
        #expect(talk.unbind(2) == [])
        #expect(try talk.look(in: 1) == Change([Edit(0..<1, "")]))
    }
}

extension Result<Void, any Error>? {
    fileprivate var isSuccess: Bool? {
        switch self {
        case .success: true
        case .failure: false
        case nil: nil
        }
    }
}
