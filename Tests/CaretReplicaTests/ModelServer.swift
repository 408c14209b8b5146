import CaretCore
import CaretReplica
import CaretWire
import TestSupport

/// What a client says about the document.
enum Request {
    case open(WirePosition?, DocumentMode, name: Int)
    case close
    case push(SentPush)
    case select(Revision, [Selection])
}

/// One epoch of the document: all of its texts, and the changes between them.
struct History {
    struct Entry {
        let client: Int
        let push: SentPush?
        let change: Change
    }

    let epoch: WireString
    let first: Int
    private(set) var texts: [Text]
    private(set) var log: [Entry] = []
    /// Revisions before this one can no longer be begun from.
    var trimmed: Int

    init(epoch: WireString, first: Int, text: Text) {
        self.epoch = epoch
        self.first = first
        texts = [text]
        trimmed = first
    }

    var head: Int { first + log.count }
    var text: Text { texts[log.count] }
    var place: WirePosition { WirePosition(epoch: epoch, revision: Revision(head)) }

    func text(at revision: Int) -> Text { texts[revision - first] }

    /// The entry that makes this revision.
    func entry(_ revision: Int) -> Entry { log[revision - first - 1] }

    func changes(after revision: Int) -> [Change] { log[(revision - first)...].map(\.change) }

    mutating func append(_ entry: Entry) throws {
        texts.append(try text.applying(entry.change))
        log.append(entry)
    }

    /// The same history up to a revision, as another epoch.
    func cut(at revision: Int, epoch: WireString) -> History {
        var older = History(epoch: epoch, first: first, text: texts[0])
        older.texts = Array(texts[...(revision - first)])
        older.log = Array(log[..<(revision - first)])
        older.trimmed = min(trimmed, revision)
        return older
    }
}

/// The plainest server that keeps the protocol about one document, with a say for chance wherever there is one.
///
/// It commits when told to, and sends when told to, so that everything can come late.
struct ModelServer {
    struct Session {
        let id: WireString
        let mode: DocumentMode
        /// The revision that the client has been brought to.
        var position: Int
        /// The head when the document was opened: own revisions up to it come with their edits.
        let openedHead: Int
        var selections: [Selection]?
        /// Whose selections are still to be sent, by client.
        var news: [Bool]
        var isCheckDue: Bool
    }

    struct Known {
        let push: SentPush
        let revision: Int
        let change: Change
    }

    private(set) var history: History
    private(set) var past: [History] = []
    private(set) var sessions: [Session?]
    private(set) var known: [Known?]
    /// Pushes that were received and not judged.
    private(set) var queue: [(client: Int, push: SentPush)] = []
    private(set) var name = 0
    var rights: [Rights]
    /// What is on its way to each client; nil for one without a connection.
    var outgoing: [[Envelope<ServerMessage>]?]
    var markers = Markers()
    private var opened = 0
    private(set) var commits = 0
    /// It refuses no push that could be committed.
    var isCalm = false

    init(clients: Int) {
        history = History(epoch: "e0", first: 0, text: Text())
        sessions = Array(repeating: nil, count: clients)
        known = Array(repeating: nil, count: clients)
        rights = Array(repeating: .write, count: clients)
        outgoing = Array(repeating: nil, count: clients)
    }

    /// The text that a replica must have where it says it is.
    func text(at place: WirePosition) -> Text? {
        let all = past + [history]
        guard let history = all.last(where: { $0.epoch == place.epoch }),
            (history.first...history.head).contains(place.revision.value)
        else { return nil }
        return history.text(at: place.revision.value)
    }

    var isAtRest: Bool {
        queue.isEmpty
            && sessions.allSatisfy {
                $0.map { $0.position == history.head && !$0.news.contains(true) } ?? true
            }
    }

    private mutating func say(_ message: ServerMessage, to client: Int) {
        outgoing[client]?.append(Envelope(message))
    }

    private mutating func refuseOpen(_ refusal: Refusal, after time: Milliseconds? = nil, _ client: Int) {
        outgoing[client]?.append(Envelope(.error(ErrorReport(refusal, after: time)), id: .number(1)))
    }

    // Connections.

    mutating func connect(_ client: Int) { outgoing[client] = [] }

    /// What was sent and not received is lost; of what was received and not judged, a part.
    mutating func cut(_ client: Int, _ random: inout Seeded) {
        outgoing[client] = nil
        end(client)
        if random.chance(50) { queue.removeAll { $0.client == client } }
    }

    private mutating func end(_ client: Int) {
        guard let session = sessions[client] else { return }
        sessions[client] = nil
        guard session.selections != nil else { return }
        for other in sessions.indices where sessions[other] != nil {
            sessions[other]?.news[client] = false
            say(.left(session.id), to: other)
        }
    }

    mutating func receive(_ request: Request, from client: Int, _ random: inout Seeded) throws {
        switch request {
        case .open(let place, let mode, let name): open(place, mode, name, client, &random)
        case .close: try close(client, &random)
        case .push(let push): receive(push, from: client, &random)
        case .select(let revision, let selections): select(selections, at: revision.value, client)
        }
    }

    /// The answers still due come first.
    private mutating func close(_ client: Int, _ random: inout Seeded) throws {
        while queue.contains(where: { $0.client == client }) { try commit(&random) }
        end(client)
    }

    private mutating func open(
        _ place: WirePosition?, _ mode: DocumentMode, _ name: Int, _ client: Int, _ random: inout Seeded
    ) {
        if name != self.name || rights[client] == .none {
            return refuseOpen(.notFound, client)
        }
        if sessions[client] != nil { return refuseOpen(.alreadyOpen, client) }
        if random.chance(4) { return refuseOpen(.overloaded, after: 5, client) }
        let resumes =
            place.map {
                $0.epoch == history.epoch && (history.trimmed...history.head).contains($0.revision.value)
            } == true && random.chance(80)
        opened += 1
        var session = Session(
            id: WireString("s\(opened)"), mode: mode,
            position: resumes ? place?.revision.value ?? 0 : history.head, openedHead: history.head,
            news: Array(repeating: false, count: sessions.count), isCheckDue: resumes)
        var peers: [Peer] = []
        for (other, peer) in sessions.enumerated() {
            guard let peer, let selections = peer.selections else { continue }
            peers.append(Peer(peer.id, resumes ? [] : selections))
            if resumes { session.news[other] = true }
        }
        sessions[client] = session
        let (epoch, revision) = (history.epoch, Revision(session.position))
        say(
            resumes
                ? .resumed(
                    epoch: epoch, at: revision, rights: rights[client], own: own(client), peers: peers)
                : .opened(
                    history.text.string, epoch: epoch, at: revision, rights: rights[client],
                    own: own(client), peers: peers), to: client)
    }

    private func own(_ client: Int) -> OwnPush? {
        known[client].map { OwnPush($0.push.seq, at: Revision($0.revision)) }
    }

    // Pushes.

    private mutating func receive(_ push: SentPush, from client: Int, _ random: inout Seeded) {
        if sessions[client] == nil { return refuse(push, .notOpen, client) }
        if let known = known[client], push.seq <= known.push.seq {
            guard push == known.push else { return refuse(push, .seqReused, client) }
            let revision = Revision(known.revision)
            return say(.acked(push.seq, revision, known.change.edits, kind: .duplicate), to: client)
        }
        if let waiting = queue.first(where: { $0.client == client }) {
            if waiting.push.seq != push.seq { refuse(push, .pushInFlight, client) }
            return
        }
        if !isCalm, random.chance(3) {
            return refuse(push, random.pick([.rateLimited, .overloaded, .internalFault]), client)
        }
        if !isCalm, random.chance(1) {
            end(client)
            return refuse(push, .notOpen, client)
        }
        queue.append((client, push))
    }

    private mutating func refuse(_ push: SentPush, _ refusal: Refusal, _ client: Int) {
        say(.refused(push.seq, refusal), to: client)
    }

    /// Judges the push that has waited longest.
    mutating func commit(_ random: inout Seeded) throws {
        if queue.isEmpty { return }
        let (client, push) = queue.removeFirst()
        if rights[client] != .write { return refuse(push, .forbidden, client) }
        if !isCalm, random.chance(2) {
            return refuse(push, random.pick([.tooLarge, .storageFull, .storageFailed, .other]), client)
        }
        let base = push.place.revision.value
        if push.place.epoch != history.epoch { return refuse(push, .epochChanged, client) }
        if base > history.head { return refuse(push, .baseAhead, client) }
        if base < history.trimmed { return refuse(push, .baseTrimmed, client) }
        if let known = known[client], base < known.revision {
            return refuse(push, .baseBeforeOwnPush, client)
        }
        guard (try? history.text(at: base).applying(push.change)) != nil else {
            return refuse(push, .badRange, client)
        }
        let change = push.change.rebased(over: history.changes(after: base), tie: .otherFirst)
        if change.isEmpty {
            return say(.acked(push.seq, Revision(history.head), kind: .unchanged), to: client)
        }
        try append(change, push, by: client)
    }

    private mutating func append(_ change: Change, _ push: SentPush, by client: Int) throws {
        commits += 1
        try markers.insert(change)
        try history.append(.init(client: client, push: push, change: change))
        known[client] = Known(push: push, revision: history.head, change: change)
        for index in sessions.indices {
            let moved = sessions[index]?.selections?.map { $0.mapped(through: change) }
            sessions[index]?.selections = moved
        }
    }

    // Presence.

    private mutating func select(_ selections: [Selection], at revision: Int, _ client: Int) {
        guard let session = sessions[client], revision >= history.trimmed, revision <= session.position else {
            return
        }
        let moved = selections.map { selection in
            history.changes(after: revision).reduce(selection) { $0.mapped(through: $1) }
        }
        sessions[client]?.selections = moved
        for other in sessions.indices where other != client { sessions[other]?.news[client] = true }
    }

    // The stream.

    /// Brings a client one step further.
    mutating func pump(_ client: Int, _ random: inout Seeded) throws {
        guard let session = sessions[client] else { return }
        if session.position == history.head { return sayNews(to: client, session) }
        let joins = session.mode == .watch ? random.number(1...3) : 1
        let next = min(session.position + joins, history.head)
        sessions[client]?.position = next
        if joins > 1 {
            let change = try history.changes(after: session.position).prefix(next - session.position)
                .reduce(Change()) { try $0.composed(with: $1) }
            let from = Revision(session.position)
            say(.changed(Revision(next), from: from, edits: change.edits), to: client)
            return remember(client)
        }
        let entry = history.entry(next)
        guard entry.client == client, let push = entry.push else {
            return say(.changed(Revision(next), edits: entry.change.edits), to: client)
        }
        let isLiteral = push.change == entry.change && next > session.openedHead
        say(.acked(push.seq, Revision(next), isLiteral ? nil : entry.change.edits), to: client)
    }

    /// Every peer's selections are to be sent anew.
    private mutating func remember(_ client: Int) {
        for (other, peer) in sessions.enumerated() where other != client {
            if peer?.selections != nil { sessions[client]?.news[other] = true }
        }
    }

    private mutating func sayNews(to client: Int, _ session: Session) {
        if session.isCheckDue { check(client) }
        for (other, isNew) in session.news.enumerated() where isNew {
            sessions[client]?.news[other] = false
            guard let peer = sessions[other], let selections = peer.selections else { continue }
            say(.peer(peer.id, Revision(history.head), selections), to: client)
        }
    }

    private mutating func check(_ client: Int) {
        sessions[client]?.isCheckDue = false
        say(.checked(Revision(history.head), of: history.text), to: client)
    }

    mutating func requestCheck(of client: Int) { sessions[client]?.isCheckDue = true }

    /// A check that is wrong, as if the client's text was.
    mutating func accuse(_ client: Int) {
        guard let session = sessions[client] else { return }
        say(.checked(Revision(session.position), length: -1, crc32: 0), to: client)
    }

    // What befalls a document.

    mutating func trim(_ random: inout Seeded) {
        history.trimmed = random.number(history.trimmed...history.head)
        for (client, session) in sessions.enumerated() {
            if let session, session.position < history.trimmed { resync(client) }
        }
    }

    mutating func resync(_ client: Int) {
        guard sessions[client] != nil else { return }
        sessions[client]?.position = history.head
        let head = history.place
        say(
            .resynced(history.text.string, epoch: head.epoch, at: head.revision, own: own(client)),
            to: client)
        remember(client)
    }

    /// The text is another one from here on, and its history is gone.
    mutating func redact(_ random: inout Seeded) throws {
        let change = SampleChange.make(for: history.text, upTo: 3, &random)
        markers.remove(change, from: history.text)
        let text = try history.text.applying(change)
        renew(History(epoch: nextEpoch, first: history.head, text: text))
        for client in sessions.indices {
            let moved = sessions[client]?.selections?.map { $0.mapped(through: change) }
            sessions[client]?.selections = moved
            resync(client)
        }
    }

    /// An older state of the store was put back to work; nobody is connected any more.
    mutating func restoreOlder(_ random: inout Seeded) {
        queue = []
        let revision = random.number(max(history.first, history.head - 5)...history.head)
        for entry in history.log[(revision - history.first)...] { markers.forget(entry.change) }
        renew(history.cut(at: revision, epoch: nextEpoch))
        for client in known.indices {
            if let last = known[client], last.revision > revision { known[client] = nil }
        }
        for (index, entry) in history.log.enumerated() {
            guard let push = entry.push else { continue }
            known[entry.client] = Known(push: push, revision: history.first + index + 1, change: entry.change)
        }
    }

    /// The document is deleted, and made again by somebody else.
    mutating func deleteAndCreate(_ random: inout Seeded) throws {
        depart(.deleted)
        known = known.map { _ in nil }
        markers.forgetAll()
        renew(History(epoch: nextEpoch, first: 0, text: try Text(SampleText.make(upTo: 10, &random))))
    }

    mutating func rename() {
        for (client, push) in queue { refuse(push, .notFound, client) }
        queue = []
        name += 1
        depart(.renamed, to: WireString("\(name)"))
    }

    mutating func give(_ rights: Rights, to client: Int) {
        self.rights[client] = rights
        if sessions[client] != nil { say(.granted(rights), to: client) }
        if rights == .none { end(client) }
    }

    private var nextEpoch: WireString { WireString("e\(past.count + 1)") }

    private mutating func renew(_ next: History) {
        past.append(history)
        history = next
    }

    private mutating func depart(_ reason: GoneReason, to name: WireString? = nil) {
        for client in sessions.indices where sessions[client] != nil {
            say(.departed(reason, to: name), to: client)
        }
        sessions = sessions.map { _ in nil }
    }
}
