import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

/// A single connection. A test sends it events and reads its actions as strings.
///
/// `< …` is a line that is sent to the client. Other actions are in brackets. `wake` actions are omitted.
final class ConnectionWorld {
    private(set) var state: ConnectionState
    private(set) var now: Int64 = 1_000
    /// The times of all `wake` actions.
    private(set) var wakes: [Int64] = []
    /// The number of bytes that were sent but not yet written.
    private(set) var sent = 0
    /// If true, all output counts as written at once.
    var isWrittenAtOnce = true
    /// Whether the server's memory for output is used up.
    let isOutputUsedUp = Shared(false)

    static let hello = #"{"type":"hello","protocol":1,"client":"alice-7f21"}"#

    init(
        framing: InputFraming = .lines, sessionsAfter: Int = 0, _ change: (inout Limits) -> Void = { _ in }
    ) {
        var limits = Limits()
        change(&limits)
        state = ConnectionState(
            1, settings: ConnectionSettings.sample(limits).with { [isOutputUsedUp] in isOutputUsedUp.value },
            framing: framing, sessionsAfter: sessionsAfter, at: now)
        _ = words(state.start())
    }

    /// Makes a connection and completes its hello.
    static func welcomed(
        _ grants: Grants = .all, hello: String = hello, _ change: (inout Limits) -> Void = { _ in }
    ) -> ConnectionWorld {
        let world = ConnectionWorld(change)
        world.says(hello)
        world.admit(grants)
        return world
    }

    /// Completes the hello that was sent.
    func admit(_ grants: Grants = .all) {
        happens { $0.authenticated(.known(Identity(user: "ann", token: 1, grants: grants))) }
        hubSent(.admitted(expiresIn: nil))
    }

    // MARK: Events

    @discardableResult
    func says(_ lines: String...) -> [String] {
        bytes(lines.map { $0 + "\n" }.joined())
    }

    @discardableResult
    func bytes(_ text: String) -> [String] {
        writingAll(words(state.received(Array(text.utf8), at: now)))
    }

    /// Tells the connection that the bytes received so far complete a message. Only for the framing
    /// `messages`.
    @discardableResult
    func endMessage() -> [String] { writingAll(words(state.messageEnded(at: now))) }

    @discardableResult
    func hubSent(_ news: HubMessage) -> [String] { happens { $0.hubSent(news) } }

    /// Sends a line from a room to a session. With session 0, the line answers a request that belongs to no
    /// session.
    @discardableResult
    func room(_ line: String, to session: Int) -> [String] {
        let output = RoomOutput(RoomOutput.Kind(of: line), Array((line + "\n").utf8))
        let session = SessionID(1, number: session)
        return happens { state in
            var other = state
            let actions = state.sent(output, to: session)
            // If the fast path `forwardLines` applies, it must return the same actions as `sent`.
            if let forwarded = other.forwardLines(output.bytes.count, to: session) {
                #expect(actions == [.send(output.bytes)] + forwarded)
            }
            return actions
        }
    }

    @discardableResult
    func ended(_ session: Int) -> [String] {
        happens { $0.ended(SessionID(1, number: session)) }
    }

    /// The hub assigns a room to the session, and the room answers.
    @discardableResult
    func opened(_ session: Int, in document: Int64 = 7) -> [String] {
        hubSent(.assignedRoom(SessionID(1, number: session), DocumentID(document)))
        return room(#"{"type":"opened"}"#, to: session)
    }

    @discardableResult
    func written(_ bytes: Int) -> [String] {
        sent -= bytes
        return happens { $0.written(bytes) }
    }

    /// Lets time pass without any event, as if the process were suspended.
    func passUnnoticed(seconds: Double) { now += Int64(seconds * 1_000) }

    @discardableResult
    func pass(seconds: Double) -> [String] {
        now += Int64(seconds * 1_000)
        return happens { _ in [] }
    }

    @discardableResult
    func happens(_ event: (inout ConnectionState) -> [ConnectionAction]) -> [String] {
        writingAll(words(state.timePassed(now)) + words(event(&state)))
    }

    private func writingAll(_ words: [String]) -> [String] {
        var result = words
        while isWrittenAtOnce, sent > 0, !state.isClosed {
            let bytes = sent
            sent = 0
            result += self.words(state.written(bytes))
        }
        return result
    }

    // MARK: Actions

    private func words(_ actions: [ConnectionAction]) -> [String] {
        actions.compactMap { word($0) }
    }

    private func word(_ action: ConnectionAction) -> String? {
        switch action {
        case .send(let line):
            sent += line.count
            return "< " + String(decoding: line.dropLast(), as: UTF8.self)
        case .sendShared: preconditionFailure("only a gateway sends shared bytes")
        case .sendText(let line):
            sent += line.count
            return "< " + String(decoding: line.bytes.dropLast(), as: UTF8.self)
        case .wake(let time):
            wakes.append(time)
            return nil
        case .pauseReading: return "[pause]"
        case .resumeReading: return "[resume]"
        case .claimLine(let bytes): return "[claim \(bytes)]"
        case .releaseLine(let bytes): return "[release \(bytes)]"
        case .authenticate(let token): return "[authenticate \(token?.string ?? "nobody")]"
        case .join(let joining): return "[join \(joining.pusher.user) \(joining.pusher.client)]"
        case .ask(let request): return "[ask \(request.words)]"
        case .deliveredDocuments: return "[delivered documents]"
        case .leave: return "[leave]"
        case .sendToRoom(let document, let event): return "[room \(document.value): \(event.words)]"
        case .endOutput: return "[end output]"
        case .close: return "[close]"
        }
    }
}

extension ConnectionID: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int64) { self.init(value) }
}

extension TokenID: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int64) { self.init(value) }
}

extension SessionID {
    fileprivate var number: Int64 { value & (1 << 28 - 1) }
}

extension HubRequest {
    var words: String {
        switch question {
        case .open(let name, let opening, let creates):
            "open \(name) s\(opening.session.number)\(creates ? " create" : "")"
        case .push(let name, let push, let creates):
            "push \(name) seq \(push.seq) s\(push.session.number)\(creates ? " create" : "")"
        case .read(let name, _): "read \(name)"
        case .history(let name, _): "history \(name)"
        case .blame(let name, _): "blame \(name)"
        case .rename(let name, let to, _): "rename \(name) to \(to)"
        case .delete(let name, _): "delete \(name)"
        case .redact(let name, _, _): "redact \(name)"
        case .tags(let name, _): "tags of \(name)"
        case .notes(let name, _): "notes on \(name)"
        case .links(let name, _): "links to \(name)"
        case .authenticate(let identity): "authenticate \(identity.user)"
        case .list: "list"
        case .listDeleted: "list deleted"
        case .undelete(let undelete): "undelete \(undelete.number)"
        case .follow: "follow"
        case .unfollow: "unfollow"
        case .admin(let admin): "admin \(admin)"
        }
    }
}

extension RoomOutput.Kind {
    /// The kind of output that this line from a room is.
    fileprivate init(of line: String) {
        if line.hasPrefix(#"{"type":"closed""#) {
            self = .closed
        } else if line.hasPrefix(#"{"type":"rights""#) {
            self = .rights
        } else if line.contains(#""code":"not_open""#), !line.contains(#""seq":"#) {
            self = .closeRefused
        } else {
            self = .stream
        }
    }
}

extension RoomEvent {
    var words: String {
        switch self {
        case .open(let opening): "open s\(opening.session.number) \(opening.rights.rawValue)"
        case .rightsChanged(let session, let rights): "rights s\(session.number) \(rights.rawValue)"
        case .rename(let to, let order): "rename to \(to) for s\(order.requester.number)"
        case .delete(let order): "delete for s\(order.requester.number)"
        case .redact(_, let order): "redact for s\(order.requester.number)"
        case .renewed: "renewed"
        case .hubAppends(let appends): "hub appends \(appends)"
        case .notesChanged: "notes changed"
        case .trimmed(let start): "trimmed \(start.value)"
        case .storeHead(let head): "store head \(head.value)"
        case .bus(let event): "\(event)"
        case .nowCalled(let name, let readers): "now called \(name) for \(readers.count)"
        case .leave(let session): "leave s\(session.number)"
        case .awaitPushes(let pusher, let connection): "await \(pusher.client) for \(connection.value)"
        case .push(let push): "push seq \(push.seq) s\(push.session.number) \(push.rights.rawValue)"
        case .select(let session, _, _): "select s\(session.number)"
        case .close(let session, _): "close s\(session.number)"
        case .diverged(let session, _): "diverged s\(session.number)"
        case .written(let session, let bytes): "written s\(session.number) \(bytes)"
        case .answered, .computed, .encoded, .waitEnded, .timePassed: "\(self)"
        }
    }
}

extension ConnectionSettings {
    static func sample(
        _ limits: Limits, server: WireString = "caret/test",
        publicClient: @escaping @Sendable (Pusher) -> WireString = { .sample($0) }
    ) -> ConnectionSettings {
        ConnectionSettings(
            limits: limits, server: server, store: { "k2v9" }, publicClient: publicClient,
            sessionName: { WireString("s\($0.value)") },
            digest: { push in
                Digest(SIMD4(repeating: push.bytes.reduce(7) { ($0 &* 31) &+ UInt64($1) }))
            })
    }
}

extension WireString {
    static func sample(_ pusher: Pusher) -> WireString { WireString("p-\(pusher.client)") }
}

/// The error code in a line; nil for other lines.
func code(_ line: String) -> String? {
    guard line.contains(#""type":"error""#), let start = line.firstRange(of: #""code":""#)?.upperBound
    else { return nil }
    return String(line[start...].prefix { $0 != "\"" })
}

/// The lines that were sent to the client. Reduces an error to its code, and a welcome to the word `welcome`.
func said(_ words: [String]) -> [String] {
    words.filter { $0.hasPrefix("< ") }.map { line in
        if line.contains(#""type":"welcome""#) { return "welcome" }
        return code(line) ?? String(line.dropFirst(2))
    }
}

extension HubMessage {
    /// Ann's rights have changed.
    static func grants(_ grants: Grants) -> HubMessage {
        .identityChanged(Identity(user: "ann", token: 1, grants: grants))
    }
}
