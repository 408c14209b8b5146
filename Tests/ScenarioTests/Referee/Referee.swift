import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport

/// One push as its client sent it.
struct RecordedPush {
    enum Content: Equatable {
        case edits([WireEdit], CodeUnit)
        case text(WireString)
        case restore
        /// A text to add at the end of the head.
        case append(WireString)
    }

    let document: WireString
    let epoch: WireString?
    let base: Revision
    let content: Content
    let time: Int64
    /// Whether the base must be the head.
    var isExact = false
    /// The newest revision of each history that any client had received when the push was first sent.
    var newest: [WireString: Revision] = [:]
}

/// Watches every message and every commit, and fails the run when one breaks a law.
///
/// It inspects the server's values only for bounds and selections. All other behaviour must show on the wire
/// and in the log.
final class Referee {
    unowned var world: World!
    var ledger = Ledger()
    var rights: RightsLog
    /// The markers of each client that were committed.
    var markers: [Int: Set<UInt32>] = [:]
    /// The markers that pushes of edits inserted, for each history.
    private var inserted: [WireString: Set<UInt32>] = [:]
    /// How many copies under a name each client has made, and how many were reported to it.
    var copiesMade: [MadeCopy: Int] = [:]
    var copiesReported: [MadeCopy: Int] = [:]
    var sentPushes: [Ledger.PushKey: [RecordedPush]] = [:]
    /// How often each push was sent.
    private var copies: [Copy: Int] = [:]
    /// All selections of each session, in the order in which its room received them.
    var selected: [WireString: [ReceivedSelection]] = [:]
    /// For each client, the newest revision that it has received of each history.
    var reported: [[WireString: Revision]]
    /// The newest revision of each history that any client has received.
    var newest: [WireString: Revision] = [:]
    /// The length of the longest line that a room sent.
    var longest = 0
    /// The length of the longest line that the server sent. The hub's lines may be longer than a room's.
    var longestSent = 0
    /// The clients that have had one document open under two names. They may push the same edits twice, or take a push
    /// of one replica for that of the other.
    var clientsWithTwoNames: Set<Int> = []
    var looks = 0
    var counts = Counts()

    /// Counts of rare events, to show that the plans cause them.
    struct Counts {
        var peers = 0
        var repeats = 0
        var resyncs = 0
        var resumes = 0
        /// Events of editors: undone and redone changes, refused pushes, checks that did not match, texts of
        /// another epoch, saved replicas loaded after a restart, and resent pushes.
        var undos = 0
        var refusals = 0
        var wrongChecks = 0
        var newEpochs = 0
        var reloads = 0
        var resends = 0
        /// Whole texts that already contain the push in flight.
        var ownInTexts = 0
        /// Pushes in flight that another node committed, and open documents that were found damaged.
        var pushedElsewhere = 0
        var damaged = 0
        /// Accepted WebSockets, pongs that arrived, and WebSockets that the server closed in an orderly way.
        var webSockets = 0
        var pongs = 0
        var webSocketCloses = 0
        /// How often reading was paused before all received bytes were accepted.
        var unreadInputs = 0
        /// Responses of clients with HTTP: all of them, those with 304, and acks of repeated changes. How often such
        /// clients repeated a change after a lost connection.
        var responses = 0
        var notModified = 0
        var repeatsOverHTTP = 0
        var requestsRepeated = 0
        var copies = 0
    }

    /// A push in one history, because a client numbers its pushes per history.
    private struct Copy: Hashable {
        let epoch: WireString?
        let push: Ledger.PushKey
    }

    /// How often a push was sent, to this server or to another node.
    func copies(of push: Ledger.PushKey, in epoch: WireString?) -> Int {
        copies[Copy(epoch: epoch, push: push), default: 0]
    }

    func sentCopy(of push: Ledger.PushKey, in epoch: WireString?) {
        copies[Copy(epoch: epoch, push: push), default: 0] += 1
    }

    init(_ plan: Plan) {
        // One client more than in the plan: the world adds a client when all faults end.
        rights = RightsLog(clients: plan.clients.count + 1, hasStops: plan.nodes > 1)
        reported = Array(repeating: [:], count: plan.clients.count + 1)
    }

    func fail(_ law: Law, _ what: @autoclosure () -> String) { world.fail(law, what()) }

    // MARK: The log

    /// The index of a pusher's client; nil for another node.
    func client(of pusher: Pusher) -> Int? {
        if pusher == Names.elsewhere { return nil }
        return Int(pusher.client.string.dropFirst(7))
    }

    /// The server appends a segment. Each client with a change in the segment must have the right to write.
    /// Rule R5.
    func mayAppend(_ append: Append) {
        for pushed in append.changes {
            guard let client = client(of: pushed.logged.pusher), client < world.plan.clients.count,
                let entry = try? world.store.model.entry(of: append.document).get()
            else { continue }
            let name = WireString(entry.name.description)
            // A server may not know yet that another one has renamed the document.
            let names = world.plan.nodes > 1 ? ledger.names(everOf: append.document).union([name]) : [name]
            if names.allSatisfy({ rights.mostAccess(client, to: $0, at: world.now) < .write }) {
                fail(.rights, "client \(client) writes to \(name) without the right to write")
            }
        }
    }

    /// The store has committed changes after `revision`.
    func committed(_ changes: [PushedChange], _ document: DocumentID, after revision: Revision) {
        if let head = ledger.history(of: document)?.head, head != revision {
            return fail(.synced, "the disk has lost the committed revision \(head.value)")
        }
        for pushed in changes { committed(pushed.logged, document) }
    }

    private func committed(_ logged: LoggedChange, _ document: DocumentID) {
        guard let history = ledger.history(of: document) else {
            return fail(.commit, "document \(document.value) has no history")
        }
        // The revisions of a copy were not pushed.
        let client = logged.seq == 0 ? nil : client(of: logged.pusher)
        guard let change = try? logged.change, let text = try? history.text.applying(change) else {
            return fail(.commit, "revision \(history.head.value + 1) does not fit its text")
        }
        if let client { verify(logged, change, text, by: client, in: history) }
        for edit in logged.edits where (try? LoggedEdit(edit.edit, in: history.text)) != edit {
            return fail(
                .commit, "revision \(history.head.value + 1) has an edit whose offsets differ between units")
        }
        if client != nil, text.length.utf8 > world.limits.announced.document,
            text.length.utf8 > history.text.length.utf8
        {
            return fail(
                .bounds, "a client made a document of \(text.length.utf8) bytes, which is more than the limit"
            )
        }
        let epoch = history.epoch
        if let client { note(logged, by: client, in: epoch) }
        ledger.append(logged, change, text, to: epoch, by: client)
    }

    /// Rule P8.
    private func verify(
        _ logged: LoggedChange, _ change: Change, _ text: TextBuffer, by client: Int,
        in history: Ledger.History
    ) {
        let key = Ledger.PushKey(client: client, seq: logged.seq)
        if let revision = history.revisions[key] {
            return fail(
                .ack,
                "seq \(logged.seq) of client \(client) was committed as revision \(revision.value), and then again"
            )
        }
        guard let pushes = sentPushes[key] else {
            return fail(.commit, "client \(client) never pushed the committed seq \(logged.seq)")
        }
        let isExpected = pushes.contains { expects($0, change, text, in: history) }
        if !isExpected {
            fail(
                .commit,
                "revision \(history.head.value + 1) is not the rebased push with seq \(logged.seq) of client \(client)"
            )
        }
    }

    /// Records the markers of a change. Edits may commit a marker only once in a history.
    private func note(_ logged: LoggedChange, by client: Int, in epoch: WireString) {
        for edit in logged.edits {
            for marker in Markers.found(in: edit.edit.text) {
                markers[client, default: []].insert(marker)
                let push = sentPushes[Ledger.PushKey(client: client, seq: logged.seq)]?.first
                switch push?.content {
                case .edits, .append: break
                // These may contain an old marker again.
                case .text, .restore, nil: continue
                }
                let isNew = inserted[epoch, default: []].insert(marker).inserted
                if !isNew, !clientsWithTwoNames.contains(client) {
                    fail(.typedText, "marker \(marker - Markers.first) was committed twice")
                }
            }
        }
    }

    private func expects(
        _ push: RecordedPush, _ change: Change, _ text: TextBuffer, in history: Ledger.History
    )
        -> Bool
    {
        if push.content == .restore { return history.text(at: push.base) == text }
        if case .append(let said) = push.content {
            return isAppended(said, change, in: history, since: push.newest[history.epoch] ?? 0)
        }
        if push.isExact, push.base != history.head { return false }
        guard let moved = moved(push, in: history, to: history.head) else { return false }
        return moved == change
    }

    /// The change of a push, rebased over each revision from its base to `revision`.
    /// Rule P4.
    func moved(_ push: RecordedPush, in history: Ledger.History, to revision: Revision) -> Change? {
        guard let base = history.text(at: push.base), push.base <= revision else { return nil }
        let pushed: Change? =
            switch push.content {
            case .edits(let edits, let unit): base.change(edits, in: unit)
            case .text(let text):
                ChangeWork.diff(
                    from: base, to: TextBuffer(normal: text), atMost: world.limits.announced.edits
                )
                .done()
            case .restore, .append: nil
            }
        return pushed.map { pushed in
            history.coreChanges(from: push.base, to: revision).reduce(pushed) {
                $0.rebased(over: $1, tie: .otherFirst)
            }
        }
    }
}

extension TextBuffer {
    /// A whole text with line breaks as the server stores them.
    init(normal said: WireString) {
        var scalars = String.UnicodeScalarView()
        var last: Unicode.Scalar?
        for scalar in said.string.unicodeScalars {
            defer { last = scalar }
            if scalar == "\n", last == "\r" { continue }
            scalars.append(scalar == "\r" ? "\n" : scalar)
        }
        guard let text = try? TextBuffer(String(scalars)) else {
            preconditionFailure("a text still has carriage returns")
        }
        self = text
    }
}
