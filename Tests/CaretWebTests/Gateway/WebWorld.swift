import CaretCore
import CaretLog
import CaretRooms
import CaretWeb
import CaretWire
import TestSupport
import Testing

/// A single web connection. A test sends it bytes and events, and reads its actions as strings.
///
/// In these strings, bytes of HTTP are written as text. A frame is written as `<text>`, and any other action
/// is in brackets.
/// `wake` actions are omitted.
final class WebWorld {
    private(set) var state: WebState
    var now: Int64 = 784_111_777_000
    private(set) var wake: Int64 = .max
    /// The number of bytes that were sent but not yet written.
    private(set) var waiting = 0
    /// The received bytes that the connection has not accepted yet.
    private(set) var unread: [UInt8] = []
    private(set) var isPaused = false
    /// The actions for the hub and the rooms that no test has handled yet.
    private var orders: [ConnectionAction] = []
    /// The errors that were counted.
    private(set) var refusals: [ErrorCode: Int] = [:]
    /// The codes of requests that were refused because of their host or origin.
    private(set) var counted: [WebCode] = []
    /// What was logged about a proxy's field.
    private(set) var signInNotes: [String] = []
    /// If true, responses are only computed by `compute`.
    var holdsComputations = false
    private var heldComputations: [Int: Computation] = [:]
    /// The texts that the server has in memory, by name.
    var texts: [String: ReadText] = [:]
    /// The names for which the connection has looked there.
    private(set) var lookups: [String] = []
    /// Whether the server's memory for output is used up.
    let isOutputUsedUp = Shared(false)
    /// If true, all output counts as written at once.
    var takesAll = true

    init(
        at listener: SiteGuard.Listener = .tcp, _ siteGuard: SiteGuard = SiteGuard(),
        proxySignIn: ProxySignIn? = nil, files: [String: WebFile] = [:],
        _ change: (inout Limits) -> Void = { _ in }
    ) {
        var limits = Limits()
        change(&limits)
        let connection = ConnectionSettings(
            limits: limits, server: "caret/test", store: { "store" }, publicClient: { _ in "p-1" },
            sessionName: { WireString("s\($0.value)") }, digest: { _ in Digest(SIMD4()) },
            isOutputUsedUp: { [isOutputUsedUp] in isOutputUsedUp.value })
        let settings = WebSettings(
            connection, siteGuard: siteGuard, proxySignIn: proxySignIn,
            assistant: AssistantAnswers(caretVersion: "1.2.3"), files: files, sha1: WebWorld.sha1
        ) { "http-7f21" }
        state = WebState(ConnectionID(1), settings, at: listener, from: nil, at: now)
    }

    /// Returns the right digest only for the example key in RFC 6455, and `[0]` for all other bytes.
    private static func sha1(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes == Array("dGhlIHNhbXBsZSBub25jZQ==258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8) else {
            return [0]
        }
        return [
            0xB3, 0x7A, 0x4F, 0x2C, 0xC0, 0x62, 0x4F, 0x16, 0x90, 0xF6, 0x46, 0x06, 0xCF, 0x38, 0x59, 0x45,
            0xB2,
            0xBE, 0xC4, 0xEA,
        ]
    }

    static let upgrade =
        "GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"

    /// Makes a WebSocket and completes its hello.
    static func welcomed(_ change: (inout Limits) -> Void = { _ in }) -> WebWorld {
        let world = WebWorld(SiteGuard(), change)
        world.receive(upgrade)
        world.receive(ClientFrames.message(#"{"type":"hello","protocol":1,"client":"alice-7f21"}"#))
        world.happens { $0.authenticated(.known(.anonymous)) }
        world.happens { $0.hubSent(.admitted(expiresIn: nil)) }
        return world
    }

    private convenience init(_ siteGuard: SiteGuard, _ change: (inout Limits) -> Void) {
        self.init(at: .tcp, siteGuard, change)
    }

    // MARK: Events

    @discardableResult
    func receive(_ text: String) -> [String] { receive(Array(text.utf8)) }

    @discardableResult
    func receive(_ bytes: [UInt8]) -> [String] {
        let input = unread + bytes
        let (accepted, actions) = input.withUnsafeBytes { state.received($0, at: now) }
        unread = Array(input.dropFirst(accepted))
        let result = words(actions)
        // Only a connection that will resume reading may leave bytes unread.
        #expect(unread.isEmpty || isPaused || result.contains("[resumeReading]"))
        return result
    }

    @discardableResult
    func inputEnded() -> [String] { words(state.inputEnded()) }

    @discardableResult
    func connectionLost() -> [String] { words(state.connectionLost()) }

    @discardableResult
    func happens(_ event: (inout ConnectionState) -> [ConnectionAction]) -> [String] {
        words(state.handle(event))
    }

    @discardableResult
    func shutDown(retryAfterMilliseconds: Int? = nil) -> [String] {
        words(state.shutDown(retryAfterMilliseconds: retryAfterMilliseconds))
    }

    @discardableResult
    func written(_ bytes: Int) -> [String] {
        waiting -= bytes
        return words(state.written(bytes))
    }

    /// Lets this time pass.
    @discardableResult
    func pass(seconds: Double) -> [String] {
        now += Int64(seconds * 1_000)
        if now >= wake { wake = .max }
        return words(state.timePassed(now))
    }

    /// Computes a response that the connection has asked for.
    func compute(number: Int) -> [String] {
        guard let computation = heldComputations.removeValue(forKey: number) else { return [] }
        return words(state.computed(computation.response(), number: number))
    }

    func lines(_ line: String, to session: SessionID) -> [String]? {
        let bytes = Array((line + "\n").utf8)
        let wireBytes = FrameWriter.byteCount(ofMessages: bytes)
        waiting += wireBytes
        return state.forwardLines(lineBytes: bytes.count, wireBytes: wireBytes, to: session).map(words)
    }

    // MARK: Actions

    /// The actions for the hub and the rooms since the last call.
    func takeOrders() -> [ConnectionAction] {
        defer { orders = [] }
        return orders
    }

    private func words(_ actions: [WebAction]) -> [String] {
        do { try state.checkInvariants() } catch { Issue.record(error) }
        refusals.merge(state.takeRefusals() ?? [:], uniquingKeysWith: +)
        var result: [String] = []
        for action in actions {
            guard let word = word(action) else { continue }
            // A long body is sent after its head.
            if let last = result.last, last.contains("Content-Length: "), last.hasSuffix("\r\n\r\n"),
                action.sendsBytes, !word.hasPrefix("HTTP/1.1 ")
            {
                result[result.count - 1] += word
            } else {
                result.append(word)
            }
        }
        for case .compute(let computation, let number) in actions {
            heldComputations[number] = computation
            if !holdsComputations { result += compute(number: number) }
        }
        for case .findText(let name, let read) in actions {
            lookups.append("\(name)")
            result += words(state.found(texts["\(name)"], for: read))
        }
        if takesAll, waiting > 0 { result += written(waiting) }
        return result
    }

    private func word(_ action: WebAction) -> String? {
        switch action {
        case .compute, .findText: return nil
        case .noteRefusal(let code, _):
            counted.append(code)
            return nil
        case .noteSignIn(let fault):
            signInNotes.append("\(fault.kind)")
            return nil
        case .noteDroppedSignIn:
            signInNotes.append("dropped")
            return nil
        case .sendMessages(let lines):
            let frames = FrameWriter.messages(of: lines)
            waiting += frames.count
            return frame(frames)
        case .connection(.send(let bytes)):
            waiting += bytes.count
            return bytes.first.map { $0 >= 0x80 } == true
                ? frame(bytes) : String(decoding: bytes, as: UTF8.self)
        case .connection(.sendShared(let payload)):
            waiting += payload.count
            return String(decoding: payload.bytes, as: UTF8.self)
        case .connection(.wake(let time)):
            wake = time
            return nil
        case .connection(.pauseReading):
            isPaused = true
            return "[pauseReading]"
        case .connection(.resumeReading):
            isPaused = false
            return "[resumeReading]"
        case .connection(let action):
            orders.append(action)
            let words = "\(action)"
            return "[\(words.prefix { $0 != "(" })]"
        }
    }

    private func frame(_ bytes: [UInt8]) -> String {
        let kind = [0x81: "", 0x88: "close ", 0x89: "ping ", 0x8A: "pong "][bytes[0]] ?? "?"
        let content = bytes.dropFirst(bytes[1] < 126 ? 2 : bytes[1] == 126 ? 4 : 10)
        if bytes[0] != 0x88 { return "<\(kind)\(String(decoding: content, as: UTF8.self))>" }
        let code = content.prefix(2).reduce(0) { $0 << 8 | Int($1) }
        return "<close \(code) \(String(decoding: content.dropFirst(2), as: UTF8.self))>"
    }
}

extension WebAction {
    fileprivate var sendsBytes: Bool {
        switch self {
        case .connection(.send), .connection(.sendShared): true
        default: false
        }
    }
}
