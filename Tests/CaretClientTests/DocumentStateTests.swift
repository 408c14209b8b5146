import CaretClient
import CaretCore
import CaretReplica
import CaretWire
import Testing

@Suite("State of an open document") struct DocumentStateTests {
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

    @Test("after each welcome, a document is opened again at its known revision")
    func opens() throws {
        var talk = DocumentConversation(creating: true)
        #expect(talk.welcomed() == [.open(1, creating: true)])
        #expect(
            talk.receive(.opened(.text("ab", at: 4)), .number(1)) == [
                try .edited(0, 0, "ab"), .notify(.state(.saved)),
            ])
        #expect(talk.disconnect() == [.notify(.state(.offline))])
        #expect(talk.welcomed() == [.open(2, from: 4)])
        #expect(talk.receive(.opened(.resumed(at: 4)), .number(2)) == [.notify(.state(.saved))])
        #expect(talk.text == "ab")
    }

    @Test("in watch mode a document asks for squashed changes and pushes nothing")
    func watches() throws {
        var talk = DocumentConversation(mode: .watch)
        let open = Open(document: "notes", mode: .watch, squash: true)
        #expect(talk.welcomed() == [.send(.open(open), id: .number(1))])
        _ = talk.receive(.opened(.text("ab", at: 4)), .number(1))
        #expect(try talk.type(0, 0, "x") == [.notify(.state(.refused(.forbidden)))])
    }

    @Test("edits are pushed and saved, and changes by others are reported")
    func typed() throws {
        var talk = try DocumentConversation.opened("ab")
        _ = try talk.select(Selection(caret: 2))
        #expect(try talk.type(1, 1, "x") == [.push(1, base: 1, 1, 1, "x"), .notify(.state(.sending))])
        #expect(
            talk.receive(change(2, 0, 0, "y")) == [try .edited(0, 0, "y", selections: Selection(caret: 4))])
        #expect(talk.receive(ack(1, 3, [WireEdit(WireRange(2, 2), "x")])) == [.notify(.state(.saved))])
        #expect(talk.text == "yaxb" && talk.state.replica.revision == 3)
    }

    @Test("a selection is sent, but an offset inside a character is refused")
    func selected() throws {
        var talk = try DocumentConversation.opened("a😀")
        let select = Select(document: "notes", revision: 1, selections: [WireSelection(1, 3)])
        #expect(try talk.select(Selection(anchor: 1, head: 3)) == [.send(.select(select), id: nil)])
        #expect(throws: TextError.self) { try talk.select(Selection(caret: 2)) }
    }

    @Test("undo and redo are pushed and reported like an edit")
    func undone() throws {
        var talk = try DocumentConversation.opened("ab")
        _ = try talk.type(1, 1, "x")
        _ = talk.receive(ack(1, 2))
        #expect(
            talk.undo() == [try .edited(1, 2, ""), .push(2, base: 2, 1, 2, ""), .notify(.state(.sending))])
        _ = talk.receive(ack(2, 3))
        #expect(talk.redo().first == (try .edited(1, 1, "x")))
        #expect(talk.text == "axb")
    }

    @Test("edits with less than a second between them are undone together")
    func undoSteps() throws {
        var talk = try DocumentConversation.opened("")
        for (offset, span) in [(0, 5_000), (1, 999), (2, 1_000)] as [(Offset, Milliseconds)] {
            _ = talk.wait(span)
            _ = try talk.type(offset, offset, "x")
        }
        _ = talk.undo()
        #expect(talk.text == "xx")
        _ = talk.undo()
        #expect(talk.text.isEmpty)
    }

    @Test("a document accepts an answer only to its newest `open` request")
    func isMeant() throws {
        var talk = DocumentConversation()
        _ = talk.welcomed()
        _ = talk.disconnect()
        let opened = ServerMessage.opened(.text("ab", at: 1))
        #expect(!talk.isAddressed(by: opened, .number(1)))
        _ = talk.welcomed()
        #expect(talk.isAddressed(by: opened, .number(2)))
        #expect(!talk.isAddressed(by: opened, .number(1)) && !talk.isAddressed(by: opened))
        let refused = ServerMessage.error(ErrorReport(.notFound, "no", document: "notes"))
        #expect(talk.isAddressed(by: refused, .number(2)))
        #expect(!talk.isAddressed(by: refused, .number(1)) && !talk.isAddressed(by: refused))
        _ = talk.receive(opened, .number(2))
        let ofPush = ServerMessage.error(ErrorReport(.tooLarge, "no", document: "notes", seq: 1))
        #expect(
            talk.isAddressed(by: ofPush) && talk.isAddressed(by: ack(1, 2))
                && talk.isAddressed(by: .bye(Bye(reason: .shuttingDown))))
        #expect(!talk.isAddressed(by: ack(1, 2, document: "other")))
    }

    @Test("a document ignores messages that have the name of another document")
    func names() throws {
        let talk = try DocumentConversation.opened("ab")
        for (name, isOwn) in [("notes", true), ("other", false)] as [(WireString, Bool)] {
            let messages: [ServerMessage] = [
                .change(WireChange(document: name, revision: 2, origin: .one(author), edits: [])),
                ack(1, 2, document: name),
                .check(Check(document: name, revision: 1, length: 2, crc32: 0)),
                .peer(PeerChange(document: name, session: "s", news: .left)),
                .resync(Resync(document: name, epoch: "e", revision: 2, text: "a", reason: .epoch)),
                .rights(RightsChange(document: name, rights: .read)),
                .gone(Gone(document: name, epoch: "e", reason: .deleted)),
                .error(ErrorReport(.tooLarge, "no", document: name, seq: 1)),
            ]
            for message in messages { #expect(talk.isAddressed(by: message) == isOwn, "\(message)") }
        }
        let gone = Gone(document: "notes", epoch: "e", reason: .deleted, isFollowed: true)
        #expect(!talk.isAddressed(by: .gone(gone)) && !talk.isAddressed(by: .done(Done())))
    }

    @Test(
        "a peer is verified only if the server says so",
        arguments: [
            (#"{"name":"Ann","verified":true}"#, true), (#"{"name":"Ann"}"#, false),
            (#"{"name":"Ann","verified":"yes"}"#, false), (nil, false),
        ] as [(String?, Bool)])
    func verifiedPeer(info: String?, isVerified: Bool) {
        let introduction = Introduction(
            user: "ann", client: "c-ann", info: info.flatMap { WireInfo(json: Array($0.utf8)) })
        let peer = DocumentPeer(session: "s-ann", introduction, selections: [])
        #expect(peer.isVerified == isVerified && peer.person?.name == (info == nil ? nil : "Ann"))
    }

    @Test(
        "peers are read from the answer to `open` and from `peer` messages"
    )
    func peers() throws {
        var talk = try DocumentConversation.opened("abc", peers: [.named("ann", WireSelection(1, 1))])
        let ann = DocumentPeer(session: "s-ann", .named("ann"), selections: [Selection(caret: 1)])
        let bob = DocumentPeer(session: "s-bob", .named("bob"), selections: [Selection(caret: 3)])
        #expect(talk.state.peers == [ann] && ann.person == PersonInfo(name: "ann"))
        func selected(_ introduction: Introduction?) -> ServerMessage {
            let news = PeerChange.News.selected(
                revision: 1, selections: [WireSelection(3, 3)], introduction: introduction)
            return .peer(PeerChange(document: "notes", session: "s-bob", news: news))
        }
        // A peer without an introduction is not shown.
        #expect(talk.receive(selected(nil)) == [.notify(.peers([ann]))])
        #expect(talk.receive(selected(.named("bob"))) == [.notify(.peers([ann, bob]))])
        let left = PeerChange(document: "notes", session: "s-ann", news: .left)
        #expect(talk.receive(.peer(left)) == [.notify(.peers([bob]))])
        #expect(talk.disconnect() == [.notify(.peers([])), .notify(.state(.offline))])
    }

    @Test("a refused push is resent after the delay that the server requests")
    func refused() throws {
        var talk = try DocumentConversation.opened("ab")
        _ = try talk.type(0, 0, "x")
        let error = ErrorReport(.overloaded, "later", document: "notes", seq: 1, retryAfterMilliseconds: 70)
        #expect(talk.receive(.error(error)) == [])
        #expect(talk.state.retryAt == Moment(milliseconds: 70))
        #expect(talk.wait(69) == [])
        #expect(talk.wait(1) == [.push(1, base: 1, 0, 0, "x")])
        #expect(talk.state.retryAt == nil)
        let final = ErrorReport(.tooLarge, "it has 9 bytes, and 8 are allowed", document: "notes", seq: 1)
        #expect(talk.receive(.error(final)) == [.notify(.state(.refused(.tooLarge)))])
        #expect(talk.state.refusal == ServerRefusal(final))
        #expect(talk.text == "xab")
        #expect(talk.discard() == [try .edited(0, 1, ""), .notify(.state(.saved))])
    }

    @Test("an `open` of a missing document is refused, and a retry sends it again")
    func notThere() {
        var talk = DocumentConversation()
        _ = talk.welcomed()
        let error = ServerMessage.error(ErrorReport(.notFound, "there is none"))
        #expect(talk.receive(error, .number(1)) == [.notify(.state(.refused(.notFound)))])
        #expect(!talk.isAddressed(by: error, .number(1)))
        #expect(talk.retry() == [.open(2), .notify(.state(.opening))])
    }

    /// Rule L2.
    @Test("a push that does not fit in a line is refused, and its text is kept")
    func lineTooLong() throws {
        var talk = try DocumentConversation.opened("ab")
        guard case .send(let push, _) = try talk.type(0, 0, "x").first else {
            Issue.record("the edit is not pushed")
            return
        }
        #expect(talk.lineTooLong(push) == [.notify(.state(.refused(.lineTooLong)))])
        #expect(talk.lineTooLong(.list(List())) == [])
        #expect(talk.text == "xab")
    }

    @Test("a renamed document resends its push under the new name")
    func renamed() throws {
        var talk = try DocumentConversation.opened("ab")
        _ = try talk.type(0, 0, "x")
        let resume = WirePosition(epoch: "e", revision: 1)
        #expect(
            talk.receive(.gone(Gone(document: "notes", epoch: "e", reason: .renamed, to: "old"))) == [
                .notify(.renamed("old")),
                .send(.open(Open(document: "old", resume: resume)), id: .number(2)),
                .notify(.state(.offline)),
            ])
        guard case .send(.push(let push), nil) = talk.receive(.opened(.resumed(at: 1)), .number(2))?.first
        else {
            Issue.record("the push is not resent")
            return
        }
        #expect(push.document == "old" && push.seq == 1 && push.base == 1)
    }

    @Test("a document is refused if it is deleted, damaged or no longer readable")
    func gone() throws {
        for (gone, refusal) in [
            (Gone(document: "notes", epoch: "e", reason: .renamed), Refusal.notFound),
            (Gone(document: "notes", epoch: "e", reason: .deleted), .notFound),
            (Gone(document: "notes", epoch: "e", reason: .damaged), .damaged),
        ] {
            var talk = try DocumentConversation.opened("ab")
            #expect(talk.receive(.gone(gone)) == [.notify(.state(.refused(refusal)))])
            #expect(talk.text == "ab")
        }
    }

    @Test("invalid text is rejected; an edit outside the text causes a reload")
    func impossible() throws {
        var talk = try DocumentConversation.opened("ab")
        let backwards = ServerMessage.change(
            WireChange(
                document: "notes", revision: 2, origin: .one(author),
                edits: [WireEdit(WireRange(0, 0), "a\rb")]))
        #expect(talk.receive(backwards) == nil)
        // After a misplaced edit the replica asks for the full text.
        let open = DocumentAction.open(2)
        #expect(talk.receive(change(2, 7, 9, "x"))?.contains(open) == true)
    }

    @Test("if the checksum differs, the client reports it and reloads the text")
    func diverged() throws {
        var talk = try DocumentConversation.opened("ab")
        let check = ServerMessage.check(Check(document: "notes", revision: 1, length: 2, crc32: 7))
        #expect(
            talk.receive(check) == [
                .send(.diverged(Diverged(document: "notes", revision: 1)), id: nil),
                .send(.close(Close(document: "notes")), id: nil), .open(2), .notify(.state(.offline)),
            ])
    }

    @Test("a document is not `saved` while a view has unfinished or refused text")
    func unaccepted() throws {
        for state in [SavingState.sending, .refused(.badText)] {
            var talk = try DocumentConversation.opened("ab")
            talk.bind(1)
            #expect(talk.setUnaccepted(state, in: 1) == [.notify(.state(state))])
            #expect(talk.setUnaccepted(state, in: 1) == [])
            #expect(DocumentGoal.saved.result(for: talk.state).isSuccess != true)
            // The server commits other edits. After that, the document still has `state`.
            _ = try talk.type(0, 0, "x")
            #expect(talk.state.state == .sending)
            #expect(talk.receive(ack(1, 2)) == (state == .sending ? [] : [.notify(.state(state))]))
            #expect(try talk.type(0, 0, "y", in: 1).1.last != .notify(.state(.saved)))
            #expect(talk.receive(ack(2, 3)) == [.notify(.state(.saved))])
            _ = talk.setUnaccepted(state, in: 1)
            #expect(talk.unbind(1) == [.notify(.state(.saved))])
        }
    }

    @Test("the state is `refused` if any of several views has refused text")
    func unacceptedTwice() throws {
        for views in [[1, 2], [2, 1]] {
            var talk = try DocumentConversation.opened("ab")
            talk.bind(1)
            talk.bind(2)
            _ = talk.setUnaccepted(.sending, in: views[0])
            _ = talk.setUnaccepted(.refused(.badText), in: views[1])
            #expect(talk.state.state == .refused(.badText))
        }
    }

    @Test("if others typed at the same offset, a view's text goes after theirs")
    func sameOffset() throws {
        var talk = try DocumentConversation.opened("ab")
        talk.bind(1)
        _ = talk.receive(change(2, 1, 1, "y"))
        let (change, _) = try talk.type(1, 1, "x", in: 1)
        #expect(talk.text == "ayxb")
        #expect(try change == Change([Edit(1..<1, "y")]))
    }

    @Test("each view gets all changes except its own")
    func views() throws {
        var talk = try DocumentConversation.opened("ab")
        talk.bind(1)
        talk.bind(2)
        _ = talk.receive(change(2, 0, 0, "y"))
        // The user types in the first view, which does not show the inserted `y` yet.
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
