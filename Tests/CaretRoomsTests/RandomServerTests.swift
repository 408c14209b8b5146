import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("A server with random events")
struct RandomServerTests {
    /// Rule O1. Clients send random lines, and the server's messages are delivered in a random order.
    @Test("every request gets exactly one answer, or its connection ends")
    func anything() throws {
        for seed in Seeds.first(Seeds.share(of: 6_000, everyCommit: 300)) {
            let run = RandomRun(seed)
            run.run()
            let problem = run.problem
            #expect(
                problem == nil,
                "\(problem ?? "")\n\(Seeds.replay(seed, of: "RandomServerTests"))")
            if problem != nil { return }
        }
    }

    @Test("two runs with the same seed have exactly the same trace")
    func sameTrace() {
        for seed in Seeds.first(5) {
            let runs = (0..<2).map { _ in RandomRun(seed, keepsTrace: true) }
            for run in runs { run.run() }
            #expect(runs[0].world.trace == runs[1].world.trace)
            #expect(!runs[0].world.trace.isEmpty)
        }
    }
}

/// Clients that send random lines to a server with random faults.
private final class RandomRun {
    /// A request that needs an answer.
    struct Request {
        let id: Int
        let document: String?
        let kind: String
        /// True if the request gets an answer only if it is refused.
        var isSilent: Bool { ["select", "diverged", "pong"].contains(kind) }
    }

    final class Peer {
        let client: TestClient
        var requests: [Request] = []
        var answers: [Int: Int] = [:]
        var acked: [(document: String, id: Int)] = []
        var isUnwelcome = true

        init(_ client: TestClient) { self.client = client }
    }

    let world: ServerWorld
    private var random: Seeded
    private var peers: [Peer] = []
    private var lastID = 0
    private(set) var problem: String?
    private let names = ["a", "b", "a/1", "b/1", "own", "own/2"]
    private let limits: Limits

    init(_ seed: UInt64, keepsTrace: Bool = false) {
        random = Seeded(seed &* 7 &+ 1)
        let tight = random.chance(50)
        var limits = Limits()
        world = ServerWorld(seed: seed) {
            if tight {
                $0.waitingLines = 3
                $0.waitingOutput = 500
                $0.announced.documents = 2
                $0.announced.pushesPerSecond = 3
                $0.announced.line = 600
                $0.page = 200
                $0.freeLine = 64
                $0.lineBudget = 512
            }
            limits = $0
        }
        self.limits = limits
        world.keepsTrace = keepsTrace
        let some = Grants([Grant(.read, to: .prefix("a")), Grant(.write, to: .prefix("own"))])!
        world.tokens = [
            "ann": Identity(user: "ann", token: 1, grants: .all),
            "bob": Identity(user: "bob", token: 2, grants: some),
            "eve": Identity(user: "eve", token: 3, grants: .all, expires: 100_000),
            "ann-signed": RandomRun.signed("ann", .all, until: 150_000, by: "key-1"),
            "bob-signed": RandomRun.signed("bob", some, until: 4_000_000, by: "key-1"),
            "bob-other": RandomRun.signed("bob", .none, until: 200_000, by: "key-2"),
        ]
        world.document("a", "one", "two")
        world.document("b/1", "x")
    }

    private static func signed(
        _ user: ByteString, _ grants: Grants, until end: Int64, by key: ByteString
    ) -> Identity {
        Identity(
            user: user, .signed(SignedCredential(key: key, issued: 1_000, end: end)), grants: grants,
            expires: end)
    }

    func run() {
        for _ in 0..<random.number(50...250) {
            act()
            for _ in 0..<random.number(0...6) { world.step() }
            check()
            if problem != nil { return }
        }
        finish()
    }

    private func act() {
        switch random.number(0...99) {
        case 0..<8: if peers.count < 12 { peers.append(Peer(world.connection())) }
        case 8..<75: if let peer = anyPeer() { talk(peer) }
        case 75..<82: if let peer = anyPeer() { peer.client.readAll() }
        case 82..<84: anyPeer()?.client.readsAll.toggle()
        case 84..<86: if let peer = anyPeer() { world.event(peer.client.id) { $0.inputEnded() } }
        case 86: if let peer = anyPeer() { world.event(peer.client.id) { $0.connectionLost() } }
        case 87..<91: pass()
        case 91..<93: changeGrants()
        case 93..<95: world.store.trouble = random.pick([nil, nil, .full, .failed])
        case 95: world.store.damage(DocumentID(Int64(random.number(1...4))))
        case 96: confuse()
        default: for _ in 0..<20 { world.step() }
        }
    }

    private func anyPeer() -> Peer? {
        let live = peers.filter { !$0.client.isEnded }
        return live.isEmpty ? nil : random.pick(live)
    }

    private func pass() {
        let pause = random.pick([1, 100, 1_000, 9_000, 21_000, Int(TokenUses.interval)])
        world.now += Int64(pause)
        world.hubEvent(.timePassed)
        for peer in peers { world.event(peer.client.id) { _ in [] } }
    }

    private func changeGrants() {
        if random.chance(20) {
            let keys: [Set<ByteString>] = [["key-1", "key-2"], ["key-2"]]
            world.hubEvent(.signInChanged(keys: random.pick(keys), guests: .none))
            return
        }
        let grants = random.pick([
            Grants.all, Grants([]), Grants([Grant(.read, to: .prefix(""))]),
            Grants([Grant(.write, to: .prefix("a"))]), nil,
        ])
        let token = TokenID(Int64(random.number(1...3)))
        world.hubEvent(.grantsChanged(grants, token))
    }

    /// Sends the hub or a connection an event that it does not expect.
    private func confuse() {
        let session = SessionID(ConnectionID(Int64(random.number(1...8))), number: random.number(0...3))
        let document = DocumentID(Int64(random.number(1...9)))
        switch random.number(0...5) {
        case 0: world.hubEvent(.left(99))
        case 1: world.hubEvent(.answered(CallID(99_999), .deleted(nil)))
        case 2: world.hubEvent(.deliveredDocuments(session.connection))
        case 3: world.hubEvent(.changed(document))
        case 4: world.event(session.connection) { $0.authenticated(.unknown) }
        default: world.event(session.connection) { $0.undelivered(.written(session, bytes: 5)) }
        }
    }

    // MARK: What clients send

    private func talk(_ peer: Peer) {
        if peer.isUnwelcome, random.chance(90) {
            peer.isUnwelcome = false
            let token = random.pick(RandomRun.tokens)
            let client = random.pick(["client-1", "client-2", "client-3"])
            return send(
                #"{"type":"hello","protocol":1,"client":"\#(client)","token":"\#(token)"}"#, peer)
        }
        peer.isUnwelcome = false
        let lines = (0..<random.number(1...4)).map { _ in line(peer) }
        send(lines.joined(separator: "\n"), peer)
    }

    private func send(_ text: String, _ peer: Peer) {
        if random.chance(20) {
            let whole = Array((text + "\n").utf8)
            let cut = random.number(0...whole.count)
            peer.client.send(bytes: Array(whole[..<cut]))
            world.step()
            peer.client.send(bytes: Array(whole[cut...]))
        } else {
            peer.client.send([text])
        }
    }

    private static let tokens = [
        "ann", "ann", "ann", "bob", "eve", "ann-signed", "bob-signed", "bob-other", "nobody",
    ]

    private func line(_ peer: Peer) -> String {
        if random.chance(8) {
            return random.pick([
                "x", #"{"type":"open"}"#, #"{"type":"dance"}"#, "", #"{"type":"pong"}"#, "[]",
                #"{"type":"open","doc":"a//b"}"#, #"{"type":"push","doc":"a","seq":-1}"#,
            ])
        }
        lastID += 1
        let name = random.pick(names)
        let other = random.pick(names)
        let id = lastID
        let message = message(name, other)
        let isOfAll =
            ["list", "follow", "unfollow", "ping", "authenticate", "sign_out"].contains(message.kind)
            || message.kind.hasSuffix("token")
            || message.kind == "list_tokens"
        peer.requests.append(Request(id: id, document: isOfAll ? nil : name, kind: message.kind))
        let document = isOfAll ? "" : #","doc":"\#(name)""#
        return #"{"type":"\#(message.kind)","id":\#(id)\#(document)\#(message.fields)}"#
    }

    private func message(_ name: String, _ other: String) -> (kind: String, fields: String) {
        let seq = lastID
        let create = random.chance(50) ? #","create":true"# : ""
        switch random.number(0...19) {
        case 0..<5: return ("open", create)
        case 5..<7: return ("close", "")
        case 7..<10: return ("push", #","base":0,"seq":\#(seq),"text":"t\#(seq)"\#(create)"#)
        case 10..<12:
            return ("push", #","epoch":"1.1","base":0,"seq":\#(seq),"edits":[{"range":[0,0],"text":"e"}]"#)
        case 12: return ("select", #","rev":0,"selections":[]"#)
        case 13: return ("diverged", #","rev":0"#)
        case 14:
            return random.pick([
                ("list", #","limit":2"#), ("follow", ""), ("unfollow", ""), ("ping", ""), ("list_tokens", ""),
                ("add_token", #","user":"ann","grants":[]"#),
                ("sign_out", random.pick([#","user":"ann""#, #","user":"bob","before":9"#, #","jti":"a""#])),
                ("revoke_token", #","number":\#(random.number(1...9))"#),
                ("authenticate", #","token":"\#(random.pick(RandomRun.tokens))""#),
                ("authenticate", #","token":"\#(random.pick(RandomRun.tokens))""#),
            ])
        case 15: return ("read", random.pick(["", #","rev":1"#, #","at":1500"#]))
        case 16: return ("history", random.pick(["", #","after":1"#, #","at":1500,"edits":true"#]))
        case 17: return ("restore", #","epoch":"1.1","rev":0,"seq":\#(seq)"#)
        case 18: return ("rename", #","to":"\#(other)""#)
        default: return ("delete", "")
        }
    }

    // MARK: Checks

    private func check() {
        for peer in peers {
            for line in peer.client.heard() { checkAnswer(line, peer) }
            guard let state = world.connections[peer.client.id] else { continue }
            if state.waitingInput > limits.waitingLineBytes + 2 * limits.announced.line {
                problem = "connection \(peer.client.id.value) holds \(state.waitingInput) bytes of input"
            }
        }
        if world.hub.requestsUnderWay > 2 * peers.count + 1 {
            problem = "\(world.hub.requestsUnderWay) requests are under way for \(peers.count) connections"
        }
        if world.hub.sessionCount > peers.count * limits.announced.documents {
            problem = "there are \(world.hub.sessionCount) sessions"
        }
    }

    private func checkAnswer(_ line: String, _ peer: Peer) {
        guard let id = RandomRun.id(line) else { return }
        peer.answers[id, default: 0] += 1
        guard let request = peer.requests.first(where: { $0.id == id }) else {
            problem = "no request has the id \(id) of this answer: \(line)"
            return
        }
        if peer.answers[id] != 1 { problem = "request \(id) is answered twice: \(line)" }
        // Errors and reads may be answered out of order. Requests that change a document take effect in the
        // order sent.
        if line.contains(#""type":"error""#) || ["read", "history"].contains(request.kind) { return }
        guard let document = request.document else { return }
        if let last = peer.acked.last(where: { $0.document == document }), last.id > id {
            problem = "\(document): request \(id) is answered after \(last.id)"
        }
        peer.acked.append((document, id))
    }

    /// The id in an answer, which is the field after the type.
    static func id(_ line: String) -> Int? {
        guard let start = line.firstRange(of: #"","id":"#)?.upperBound,
            line.firstRange(of: ",")?.lowerBound == line.index(start, offsetBy: -6)
        else { return nil }
        return Int(line[start...].prefix { $0.isNumber })
    }

    /// Lets every client read all its output, and shuts the server down.
    private func finish() {
        world.store.trouble = nil
        for peer in peers { peer.client.readsAll = true }
        for peer in peers { peer.client.readAll() }
        world.run()
        check()
        for peer in peers where problem == nil { expectAnswers(peer) }
        world.hubEvent(.shutDown(retryAfterMilliseconds: nil))
        world.run()
        for _ in 0..<5 { world.pass(milliseconds: 31_000) }
        check()
        if problem == nil { expectEnd() }
    }

    private func expectAnswers(_ peer: Peer) {
        if peer.client.isEnded { return }
        for request in peer.requests where !request.isSilent && peer.answers[request.id] == nil {
            problem =
                "request \(request.id) of connection \(peer.client.id.value) is not answered: \(request)"
        }
    }

    private func expectEnd() {
        if let open = peers.first(where: { !$0.client.isClosed }) {
            problem = "connection \(open.client.id.value) is not closed"
        } else if !world.isFinished || world.hub.connectionCount > 0 || world.hub.sessionCount > 0 {
            problem = "the hub is not done: \(world.hub.connectionCount) connections"
        } else if world.hub.requestsUnderWay > 0 {
            problem = "\(world.hub.requestsUnderWay) requests are under way at the end"
        } else if world.budgetLeft != limits.lineBudget {
            problem = "\(world.budgetLeft) bytes of the budget are left of \(limits.lineBudget)"
        }
    }
}
