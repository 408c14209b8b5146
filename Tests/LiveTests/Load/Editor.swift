import CaretCore
import CaretWire
import TestSupport

/// A client that edits one document as fast as its pushes are acked, and remembers its acks. It handles
/// messages and returns lines. The `EditorGroup` sends these lines, because it owns the connection.
struct Editor: CustomStringConvertible {
    /// A push that is sent again, unchanged, until it is acked.
    private struct Pending {
        let seq: Int
        let edit: WireEdit
        let line: String
    }

    let number: Int
    let document: String
    /// The revisions of its acked pushes, by their seq.
    private(set) var acked: [Int: Int] = [:]
    /// The id that other clients see.
    private(set) var publicID: WireString?
    /// The server has sent `bye` or `shutting_down` on the last connection.
    private(set) var hasReceivedBye = false
    /// When to try again after `storage_failed`, in milliseconds. The `EditorGroup` then ends the connection.
    private(set) var retryAfter: Int?
    /// Whether the editor makes no new pushes.
    var isPaused = false
    /// Whether the document is open on the last connection.
    private var isOpen = false
    private var pending: Pending?
    private var seq = 0
    private var epoch: WireString?
    private(set) var revision = 0
    /// The text at `revision`. It has only ASCII characters.
    private(set) var text: [UInt8] = []
    private var random: Seeded

    init(_ number: Int, in document: String) {
        self.number = number
        self.document = document
        random = Seeded(UInt64(number))
    }

    var description: String {
        "editor \(number) at revision \(revision) of \(document)"
            + (hasNoPendingPush ? "" : ", waiting for an ack")
    }

    /// Whether no push waits for its ack.
    var hasNoPendingPush: Bool { pending == nil }

    /// The text that this push inserts. No other push inserts the same text.
    func marker(_ seq: Int) -> String { "<\(number).\(seq)>" }

    // MARK: Sending

    /// The first line of a new connection.
    mutating func hello() -> String {
        (hasReceivedBye, retryAfter, isOpen) = (false, nil, false)
        return #"{"type":"hello","protocol":1,"client":"editor-\#(number)"}"#
    }

    /// The lines to send after a pause, because otherwise an editor pushes only after it has received something.
    mutating func goOn() -> [String] { isOpen ? next() : [] }

    /// The first request. Every second editor resumes at its revision; the others load the whole text.
    private var open: String {
        let resume = number % 2 == 0 ? epoch.map { #","epoch":"\#($0)","rev":\#(revision)"# } : nil
        return #"{"type":"open","doc":"\#(document)","create":true\#(resume ?? "")}"#
    }

    /// The lines of the next push. There are none while a push is in flight, or until the editor has received
    /// the revision of its last push.
    private mutating func next() -> [String] {
        guard let epoch, pending == nil, !isPaused, acked[seq] ?? 0 <= revision else { return [] }
        seq += 1
        let start = random.number(0...text.count)
        let end = random.chance(30) ? min(text.count, start + random.number(1...4)) : start
        let edit = WireEdit(WireRange(start, end), WireString(marker(seq)))
        let line =
            #"{"type":"push","doc":"\#(document)","epoch":"\#(epoch)","base":\#(revision),"seq":\#(seq),"#
            + #""edits":[{"range":[\#(start),\#(end)],"text":"\#(edit.text)"}]}"#
        pending = Pending(seq: seq, edit: edit, line: line)
        return [line]
    }

    // MARK: Receiving

    /// Handles a message, and returns the lines to send.
    mutating func received(_ message: ServerMessage) throws -> [String] {
        switch message {
        case .welcome(let welcome):
            publicID = welcome.client
            return [open]
        case .opened(let opened):
            apply(opened)
            return pending.map { [$0.line] } ?? next()
        case .change(let change):
            try advance(to: change.revision.value, change.edits)
            return next()
        case .ack(let ack):
            try apply(ack)
            return next()
        case .check(let check):
            guard check.revision.value == revision, check.length == text.count else {
                throw Unexpected("\(self) received \(check)")
            }
            return []
        case .bye(let bye) where bye.reason == .known(.shuttingDown):
            hasReceivedBye = true
            return []
        case .error(let report) where report.code == .known(.shuttingDown):
            hasReceivedBye = true
            return []
        // The store is away: nothing was saved, or the outcome of earlier pushes is not known yet.
        case .error(let report)
        where report.code == .known(.storageFailed) || report.code == .known(.overloaded):
            retryAfter = report.retryAfterMilliseconds ?? 200
            return []
        // No test expects another message for an editor.
        default:
            throw Unexpected("\(self) received \(message)")
        }
    }

    private mutating func apply(_ opened: Opened) {
        isOpen = true
        epoch = opened.epoch
        revision = opened.revision.value
        switch opened.content {
        case .text(let text), .textAfterAll(let text): self.text = Array(text.utf8)
        case .resumed: break
        }
    }

    /// An ack answers a push, or brings the next revision of the document, or both.
    private mutating func apply(_ ack: Ack) throws {
        let revision = ack.revision.value
        if let known = acked.updateValue(revision, forKey: ack.seq), known != revision {
            throw Unexpected(
                "\(self) received revision \(revision) for its push \(ack.seq), but \(known) before")
        }
        let own = pending?.seq == ack.seq ? pending : nil
        if own != nil { pending = nil }
        if ack.duplicate || revision != self.revision + 1 { return }
        guard let edits = ack.edits ?? own.map({ [$0.edit] }) else {
            throw Unexpected("\(self) received \(ack)")
        }
        try advance(to: revision, edits)
    }

    private mutating func advance(to next: Int, _ edits: [WireEdit]) throws {
        if next != revision + 1 { throw Unexpected("\(self) received revision \(next) after \(revision)") }
        revision = next
        for edit in edits.reversed() {
            guard edit.range.end <= text.count else { throw Unexpected("\(self) received \(edit)") }
            text.replaceSubrange(edit.range.start..<edit.range.end, with: edit.text.utf8)
        }
    }
}
