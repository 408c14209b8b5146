import CaretClient
import CaretCore
import CaretReplica
import CaretWire
import Foundation
import TestSupport
import Testing

/// A client in a shared conversation, with its clock and its disk. Its inputs and outputs are JSON, as in the files.
struct ClientRun {
    typealias JSON = [String: Any]

    /// The result of a step.
    struct Outcome {
        var out: [Any] = []
        var connect: [String] = []
        var answers: [String] = []
        var error: String?
    }

    private let keeps: Bool
    private let servers: [ServerAddress]
    private let welcome: JSON
    /// Nil before the first start, and while the process has ended.
    private var client: ClientState?
    private var now = Moment(milliseconds: 0)
    private var windows: [String: DocumentKey] = [:]
    private var requests: [RequestNumber: String] = [:]
    /// The files of unsaved edits. They outlive the process.
    private var disk: [DocumentKey: UnsavedEditsFile] = [:]
    private var isDiskFull = false
    private var decoder = MessageDecoder()

    init(keeps: Bool, servers: [String], welcome: JSON) {
        self.keeps = keeps
        self.servers = servers.map { .tcp(host: $0, port: 80) }
        self.welcome = welcome
    }

    /// Runs a step.
    mutating func happen(_ step: JSON) throws -> Outcome {
        var outcome = Outcome()
        do {
            try run(actions(of: step), &outcome)
        } catch let refusal as ServerRefusal {
            outcome.error = refusal.word
        }
        try client?.checkInvariants()
        return outcome
    }

    private mutating func actions(of step: JSON) throws -> [ClientAction] {
        if step["start"] != nil { try start() }
        if step["kill"] != nil { (client, windows, requests) = (nil, [:], [:]) }
        if let disk = step["disk"] as? String { isDiskFull = disk == "full" }
        guard var state = client else { return [] }
        defer { client = state }
        let jitter = Jitter(0)
        if step["start"] != nil { return state.started(at: now) }
        if step["connected"] != nil { return state.connected(at: now) }
        if step["cut"] != nil { return state.disconnected(.ended, at: now, jitter) }
        if let line = step["in"] { return state.received(try envelope(line), at: now, jitter) }
        if let span = step["wait"] as? Int { return pass(span, &state) }
        if let window = step["close"] as? String {
            return windows.removeValue(forKey: window).map { state.closed($0) } ?? []
        }
        if let name = step["list"] as? String { return request(.list(List()), name, &state) }
        if let document = step["rename"] as? String, let to = step["to"] as? String,
            let name = step["as"] as? String
        {
            let rename = Rename(document: WireString(document), to: WireString(to))
            return request(.rename(rename), name, &state)
        }
        guard let window = step["window"] as? String else { return [] }
        return try actions(of: step, in: window, &state)
    }

    private mutating func actions(
        of step: JSON, in window: String, _ state: inout ClientState
    ) throws -> [ClientAction] {
        if let document = step["open"] as? String {
            let (key, actions) = try state.opened(
                WireString(document), creating: step["create"] as? Bool ?? false,
                mode: step["watch"] as? Bool ?? false ? .watch : .edit, at: now)
            windows[window] = key
            return actions
        }
        let key = try #require(windows[window])
        let edits = try #require(step["type"] as? [JSON])
        let change = try Change(edits.map(Edit.init(json:)))
        return try state.change(key) { [now] document, ids in try document.typed(change, at: now, &ids) }
    }

    private mutating func start() throws {
        let settings = ClientState.Settings(
            rotation: ServerRotation(servers), hello: Hello(client: "client-1", units: [.utf16]),
            reconnects: true, ownsID: keeps)
        let unsaved = try disk.map { try $1.document($0) }
        client = ClientState(settings, unsaved: keeps ? unsaved : nil)
    }

    private mutating func request(
        _ message: ClientMessage, _ name: String, _ state: inout ClientState
    ) -> [ClientAction] {
        let number = state.nextNumber()
        requests[number] = name
        return state.requested(message, as: number)
    }

    /// Lets the time pass, and wakes the client at each moment that it has asked for.
    private mutating func pass(_ span: Int, _ state: inout ClientState) -> [ClientAction] {
        let end = now + Milliseconds(span)
        var actions: [ClientAction] = []
        while let next = state.wakesAt, next <= end {
            now = next
            actions += state.timePassed(at: now, Jitter(0))
        }
        now = end
        return actions
    }

    private mutating func envelope(_ line: Any) throws -> Envelope<ServerMessage> {
        let object = line as? JSON ?? welcome
        let bytes = try JSONSerialization.data(withJSONObject: object)
        return try #require(try Array(bytes).withUnsafeBytes { try decoder.serverMessage($0) })
    }

    // MARK: Actions

    private mutating func run(_ actions: [ClientAction], _ outcome: inout Outcome) throws {
        for action in actions {
            switch action {
            case .connect(.tcp(let host, _), _): outcome.connect.append(host)
            case .send(let message, let id): outcome.out.append(try Self.json(message, id))
            case .answer(let number, _): answer(number, "", &outcome)
            case .fail(let number, let fault): answer(number, ": " + fault.word, &outcome)
            case .keep(let key): try run(keep(key), &outcome)
            case .connect, .disconnect, .fetchToken, .keepUser, .welcomed, .reportProgress, .deliver, .update,
                .end,
                .wake:
                break
            }
        }
    }

    private mutating func answer(_ number: RequestNumber, _ result: String, _ outcome: inout Outcome) {
        if let name = requests.removeValue(forKey: number) { outcome.answers.append(name + result) }
    }

    private mutating func keep(_ key: DocumentKey) throws -> [ClientAction] {
        guard let action = client?.nextFileAction(for: key) else { return [] }
        switch action {
        case .write where isDiskFull:
            return client?.notKept(key, UnsavedEditsFault(description: "the disk is full"), at: now) ?? []
        case .write(let file):
            disk[key] = file
            return client?.kept(key) ?? []
        case .remove:
            disk[key] = nil
            return []
        }
    }

    private static func json(_ message: ClientMessage, _ id: RequestID?) throws -> Any {
        var writer = JSONWriter()
        message.encode(id: id, into: &writer)
        return try JSONSerialization.jsonObject(with: Data(writer.bytes))
    }

    // MARK: State

    /// The state of the client, with the fields that the files use.
    var state: JSON {
        let keys = Set(windows.values)
        return [
            "link": link.state, "ended": link.reason ?? NSNull(),
            "keepingFault": keys.contains { client?.keepingFault(of: $0) != nil },
            "windows": windows.compactMapValues { key in
                client?.documents[key].map { document in
                    ["text": document.replica.text.string, "saving": document.state.word]
                }
            },
        ]
    }

    private var link: (state: String, reason: String?) {
        switch client?.link {
        case nil: ("ended", nil)
        case .idle, .fetchingToken, .connecting, .helloSent: ("connecting", nil)
        case .welcomed: ("online", nil)
        case .waiting: ("waiting", nil)
        case .ended(.replaced): ("ended", "replaced")
        case .ended(.revoked): ("ended", "revoked")
        case .ended(.refused(let refusal)): ("ended", refusal.word)
        case .ended(let fault): ("ended", "\(fault)")
        }
    }
}

extension SavingState {
    /// The word of the state, or the code of the refusal.
    fileprivate var word: String {
        switch self {
        case .opening: "opening"
        case .saved: "saved"
        case .sending: "sending"
        case .offline: "offline"
        case .refused(let refusal):
            ErrorCode.allCases.first { Refusal(.known($0)) == refusal }?.word ?? "other"
        }
    }
}

extension RequestFault {
    fileprivate var word: String {
        switch self {
        case .refused(let refusal): refusal.word
        case .connection: "disconnected"
        case .cancelled: "cancelled"
        case .tooMany: "too_many"
        }
    }
}

extension Edit {
    fileprivate init(json: ClientRun.JSON) throws {
        let range = try #require(json["range"] as? [Int])
        try self.init(Offset(range[0])..<Offset(range[1]), try #require(json["text"] as? String))
    }
}
