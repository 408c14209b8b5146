import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

/// Events are sent to the hub one at a time, and its actions are compared.
@Suite("hub: rare sequences of events")
struct HubStateTests {
    private let name: DocumentName
    private let entry: DocumentEntry
    private let empty: StoreAnswer

    init() throws {
        name = try DocumentName("a")
        var store = StoreModel(generation: 1)
        guard case .created(let entry) = store.create(name, at: 5) else {
            throw Unexpected(what: "the document was not created")
        }
        self.entry = entry
        empty = .loaded(.success(LoadedDocument(entry, Snapshot(revision: 0, text: TextBuffer()))))
    }

    /// A connection of Ann. Each connection has a token of its own.
    private func joining(_ id: ConnectionID, client: ByteString) -> JoinRequest {
        let pusher = Pusher(user: "ann", client: client)
        return JoinRequest(
            connection: id, pusher: pusher, token: TokenID(id.value), grants: .all, unit: .utf16)
    }

    /// A hub with connection 1.
    private func hub() -> HubState {
        var hub = HubState(limits: Limits(), at: 0) { .sample($0) }
        #expect(
            hub.handle(.join(joining(1, client: "client-1")), at: 0) == [
                .sendToConnection(1, .admitted(expiresIn: nil)), .wake(at: TokenUses.interval),
            ])
        return hub
    }

    private func ask(_ question: HubRequest.Question, _ connection: ConnectionID = 1) -> HubEvent {
        .ask(HubRequest(connection: connection, id: nil, question: question))
    }

    private var read: HubRequest.Question { .read(name, Read(document: "a")) }

    private var open: HubRequest.Question { open() }

    private func open(
        _ session: SessionID = SessionID(1, number: 1), creates: Bool = false
    ) -> HubRequest.Question {
        let opening = RoomOpening(
            session: session, id: nil, document: "a", participant: Person.ann.participant, rights: .none)
        return .open(name, opening, creates: creates)
    }

    private var push: HubRequest.Question {
        let push = RoomPush(
            session: .sessionless(1), id: nil, document: "a", participant: Person.ann.participant,
            rights: .none, epoch: nil, base: 0, seq: 1, content: .text("x"), digest: Digest(.zero), time: 0)
        return .push(name, push, creates: true)
    }

    private func questions() throws -> [HubRequest.Question] {
        let other = try DocumentName("b")
        return [
            read, open, push, .history(name, History(document: "a")),
            .blame(name, BlameRequest(document: "a")), .list(List()), .listDeleted(ListDeleted()),
            .undelete(Undelete(number: 1)), .follow(Follow()),
            .unfollow, .admin(.counters(ReadCounters())), .delete(name, Delete(document: "a")),
            .rename(name, to: other, Rename(document: "a", to: "b")),
        ]
    }

    /// Rule H7.
    @Test("a replaced connection gets no answers, even to requests under way")
    func replaced() throws {
        var hub = hub()
        let deletion = HubRequest.Question.delete(name, Delete(document: "a"))
        #expect(hub.handle(ask(deletion), at: 0) == [.call(CallID(1), .find(name))])
        let newer = joining(2, client: "client-1")
        #expect(hub.handle(.join(newer), at: 0) == [.sendToConnection(1, .ended(.replaced))])
        #expect(hub.handle(.join(newer), at: 0) == [])
        #expect(hub.handle(.answered(CallID(1), .found(.success(entry))), at: 0) == [])
        for question in try questions() { #expect(hub.handle(ask(question), at: 0) == [], "\(question)") }
        #expect(hub.handle(.left(1), at: 0) == [.sendToConnection(2, .admitted(expiresIn: nil))])
    }

    @Test("a connection whose token is revoked while it waits is never admitted")
    func revokedWaiting() {
        var hub = hub()
        _ = hub.handle(.join(joining(2, client: "client-1")), at: 0)
        #expect(hub.handle(.grantsChanged(nil, 2), at: 0) == [.sendToConnection(2, .ended(.revoked))])
        #expect(hub.handle(.grantsChanged(nil, 2), at: 0) == [])
        #expect(hub.handle(.left(1), at: 0) == [])
    }

    /// Rule A6. The connection may have sent these requests before it received the revocation.
    @Test("after a revocation, requests are refused as if the user had no rights")
    func revoked() {
        var hub = hub()
        #expect(hub.handle(.grantsChanged(nil, 1), at: 0) == [.sendToConnection(1, .ended(.revoked))])
        for (question, code) in [
            (read, ErrorCode.notFound), (open, .notFound), (push, .notFound),
            (.admin(.counters(ReadCounters())), .forbidden),
        ] {
            let actions = hub.handle(ask(question), at: 0)
            #expect(actions.count == 1 && actions.codes == [code])
        }
    }

    /// Rule E5.
    @Test("a hub that is stopping refuses each request and connection only once")
    func stopping() throws {
        var hub = hub()
        #expect(hub.handle(ask(.list(List())), at: 0).count == 1)
        let stop = hub.handle(.shutDown(retryAfterMilliseconds: 5), at: 0)
        #expect(stop.count == 3 && stop.codes == [.shuttingDown])
        #expect(stop.last == .call(CallID(2), .tokens(.noteUses([TokenUse(TokenID(1), at: 0)]))))
        #expect(stop.contains(.sendToConnection(1, .shuttingDown(retryAfterMilliseconds: 5))))
        // The answers to dropped calls are ignored.
        let late = Listing(entries: [], hasMore: false)
        #expect(hub.handle(.answered(CallID(1), .listed(.success(late))), at: 0) == [])
        for question in try questions() {
            let actions = hub.handle(ask(question), at: 0)
            #expect(actions.count == 1 && actions.codes == [.shuttingDown], "\(question)")
        }
        let refused = hub.handle(.join(joining(2, client: "client-2")), at: 0)
        #expect(refused.count == 1 && hub.connectionCount == 1)
        guard case .sendToConnection(2, .refused)? = refused.first else {
            Issue.record("connection 2 is not refused: \(refused)")
            return
        }
        #expect(hub.handle(.left(1), at: 0) == [.finish])
        #expect(hub.handle(.timePassed, at: 0) == [])
    }

    @Test("a document that is still loading at a shutdown gets no room")
    func stoppingWhileLoading() {
        var hub = hub()
        let ann = Pusher(user: "ann", client: "client-1")
        #expect(
            hub.handle(ask(open), at: 0) == [
                .call(CallID(1), .open(name, by: ann, pushers: KnownPushers.mostWithoutHolder))
            ])
        _ = hub.handle(.join(joining(2, client: "client-2")), at: 0)
        #expect(hub.handle(ask(open, 2), at: 0) == [])
        let stop = hub.handle(.shutDown(retryAfterMilliseconds: nil), at: 0)
        #expect(stop.codes == [.shuttingDown, .shuttingDown])
        #expect(hub.handle(.answered(CallID(1), empty), at: 0) == [])
        #expect(hub.roomCount == 0)
    }

    /// The store has read the empty document, but its answer arrives after a room of the document has come and gone.
    @Test("a document is opened again if it had a room since the store read it")
    func outdatedOpening() {
        var hub = hub()
        _ = hub.handle(.join(joining(2, client: "client-2")), at: 0)
        let created = open(creates: true)
        _ = hub.handle(ask(created), at: 0)
        _ = hub.handle(.answered(CallID(1), .loaded(.failure(.gone))), at: 0)
        #expect(hub.handle(ask(open(SessionID(2, number: 1)), 2), at: 0).count == 1)
        _ = hub.handle(.answered(CallID(2), .created(.created(entry))), at: 0)
        #expect(hub.roomCount == 1)
        _ = hub.handle(.ended(SessionID(1, number: 1)), at: 0)
        #expect(hub.handle(.notified(entry.id, .unloadOffered), at: 0) == [.dropRoom(entry.id)])
        #expect(hub.handle(.dropped(entry.id), at: 0) == [])
        let second = Pusher(user: "ann", client: "client-2")
        #expect(
            hub.handle(.answered(CallID(3), empty), at: 0) == [
                .call(CallID(4), .open(name, by: second, pushers: KnownPushers.mostWithoutHolder))
            ])
        #expect(hub.roomCount == 0)
    }

    @Test("at a shutdown, followers are dropped and commits are not watched")
    func stoppingWithFollower() {
        var hub = hub()
        #expect(hub.handle(ask(.follow(Follow())), at: 0).contains(.watchCommits(true)))
        _ = hub.handle(.answered(CallID(1), .listed(.success(Listing(entries: [], hasMore: false)))), at: 0)
        let stop = hub.handle(.shutDown(retryAfterMilliseconds: nil), at: 0)
        #expect(stop.contains(.watchCommits(false)) && stop.codes == [])
    }

    @Test("after 4 lookups that became outdated, a request gets `overloaded`")
    func attempts() {
        var hub = hub()
        let found = StoreAnswer.found(.success(entry))
        _ = hub.handle(ask(read), at: 0)
        for attempt in 1...4 {
            #expect(hub.handle(.notified(entry.id, .epochsRenewed), at: 0) == [])
            let actions = hub.handle(.answered(CallID(attempt), found), at: 0)
            if attempt < 4 {
                #expect(actions == [.call(CallID(attempt + 1), .find(name))])
            } else {
                #expect(actions.codes == [.overloaded])
            }
        }
        _ = hub.handle(ask(read), at: 0)
        _ = hub.handle(.notified(entry.id, .epochsRenewed), at: 0)
        #expect(hub.handle(.answered(CallID(5), found), at: 0) == [.call(CallID(6), .find(name))])
        let text = HubAction.call(CallID(7), .text(entry.id, at: nil))
        #expect(hub.handle(.answered(CallID(6), found), at: 0) == [text])
    }

    @Test("if the store cannot list documents, `list` and `follow` get an error")
    func listingFails() {
        for (question, isFollow) in [(HubRequest.Question.list(List()), false), (.follow(Follow()), true)] {
            var hub = hub()
            _ = hub.handle(ask(question), at: 0)
            let actions = hub.handle(.answered(CallID(1), .listed(.failure(.failed))), at: 0)
            #expect(actions.codes == [.storageFailed])
            #expect(actions.contains(.watchCommits(false)) == isFollow)
            #expect(hub.calls.isEmpty)
        }
    }

    @Test("the hub sets a timer for the deadline of each rename or deletion")
    func deadlines() throws {
        let world = ServerWorld()
        let (ann, names) = (world.connect("ann"), ["a", "b", "c"])
        for name in names {
            world.document(name, "x")
            ann.says(#"{"type":"open","doc":"\#(name)"}"#)
        }
        let others = ["bob", "cid", "dan"].map { world.connect($0).id }
        let start = world.now
        var (hub, wakes) = (world.hub, [[Int64]]())
        func send(_ event: HubEvent, after milliseconds: Int64) {
            wakes.append(
                hub.handle(event, at: start + milliseconds).compactMap { action -> Int64? in
                    if case .wake(let time) = action { time - start } else { nil }
                })
        }
        for (index, name) in names.enumerated() {
            let deletion = HubRequest.Question.delete(
                try DocumentName(name), Delete(document: WireString(name)))
            send(ask(deletion, others[index]), after: Int64(index) * 10_000)
        }
        for seconds in [30, 40, 50] { send(.timePassed, after: Int64(seconds) * 1_000) }
        #expect(wakes == [[30_000], [], [], [40_000], [50_000], [TokenUses.interval]])
    }
}

extension [HubAction] {
    /// The codes of the errors in answers.
    fileprivate var codes: [ErrorCode] {
        compactMap { action in
            guard case .sendToConnection(_, .answered(let envelope)) = action,
                case .error(let report) = envelope.message, case .known(let code) = report.code
            else { return nil }
            return code
        }
    }
}
