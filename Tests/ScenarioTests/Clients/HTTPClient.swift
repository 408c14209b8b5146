import CaretCore
import CaretWire

/// A client that speaks HTTP: it reads texts, writes whole texts, and appends. It sends requests without waiting for
/// the responses to earlier ones. After a lost connection, it repeats all requests that have no response.
final class HTTPClient: Program {
    private struct File {
        var isWanted = false
        /// The newest text that the client knows completely, and its version.
        var text = TextBuffer()
        var version: WirePosition?
        /// The server has said that the document does not exist.
        var isMissing = false
        var lastChange: HTTPRequest?
    }

    private unowned let machine: Machine
    private var files: [File] = Plan.names.map { _ in File() }
    private var lastNumber = 0
    private var lastSeq = 0
    /// The requests without a final response, in their order.
    private var unanswered: [HTTPRequest] = []
    /// The numbers of those requests that wait for a moment before they are repeated.
    private var postponed: Set<Int> = []

    init(_ machine: Machine) { self.machine = machine }

    private var world: World { machine.world }

    func welcomed() {
        postponed = []
        for request in unanswered {
            if request.seq != nil { world.referee.counts.requestsRepeated += 1 }
            machine.send(request)
        }
    }

    func lost() {}
    func received(_ envelope: Envelope<ServerMessage>) {}

    // MARK: Requests

    func perform(_ operation: ClientOperation) {
        switch operation {
        case .opens(let at), .retries(let at), .reads(let at, perMille: nil): read(at, ifNewerThan: nil)
        case .syncs(let at): read(at, ifNewerThan: files[at].version)
        case .reads(let at, let share?):
            guard let version = files[at].version else { return read(at, ifNewerThan: nil) }
            request(at, .readOld(Revision(version.revision.value * share / 1_000)))
        case .types(let at, let typings): append(at, typings)
        case .writes(let at, let typings, let crlf): write(at, typings, isCRLF: crlf)
        case .repeats(let at): if let change = files[at].lastChange { machine.send(change) }
        case .pings: request(0, .health)
        case .babbles: request(0, .malformed)
        default: break
        }
    }

    private func request(_ at: Int, _ content: HTTPRequest.Content, isChange: Bool = false) {
        lastNumber += 1
        var request = HTTPRequest(number: lastNumber, name: at, content: content)
        // A read that names its client waits for the client's changes, and is never answered from memory.
        request.namesClient = isChange || lastNumber % 3 == 0
        if isChange {
            lastSeq += 1
            request.seq = lastSeq
            files[at].lastChange = request
        }
        unanswered.append(request)
        machine.send(request)
    }

    private func read(_ at: Int, ifNewerThan version: WirePosition?) {
        files[at].isWanted = true
        request(at, .read(known: version))
    }

    /// A client sends its next change only after it has the answer to the last one.
    private func mayChange(_ at: Int) -> Bool { !unanswered.contains { $0.name == at && $0.seq != nil } }

    private func append(_ at: Int, _ typings: [Typing]) {
        guard mayChange(at), let first = typings.first else { return }
        files[at].isWanted = true
        let text = "+" + typings.map(\.text).joined() + (first.place % 2 == 0 ? "\n" : "")
        request(at, .append(WireString(text), creates: first.place % 3 == 0), isChange: true)
    }

    private func write(_ at: Int, _ typings: [Typing], isCRLF: Bool) {
        guard mayChange(at), let first = typings.first else { return }
        files[at].isWanted = true
        let condition: HTTPRequest.Condition
        if let version = files[at].version {
            condition = first.place % 3 == 0 ? .isHead(version) : .mergesInto(version)
        } else if files[at].isMissing {
            condition = .isMissing
        } else {
            return read(at, ifNewerThan: nil)
        }
        var text = files[at].version == nil ? TextBuffer() : files[at].text
        let isFull = text.length.utf8 > world.limits.announced.document * 3 / 4
        let half = [Typing(place: 0, removed: text.length.scalars / 2, text: "")]
        if (try? text.apply((isFull ? half : typings).change(in: text))) == nil {
            return world.fail(.client, "an edit does not fit the text of a file")
        }
        let lines = text.string.split(separator: "\n", omittingEmptySubsequences: false)
        let content = WireString(lines.joined(separator: isCRLF ? "\r\n" : "\n"))
        request(at, .put(content, condition, wantsText: first.place % 4 == 1), isChange: true)
    }

    // MARK: Responses

    func received(_ response: HTTPResponse, to request: HTTPRequest) {
        // A request that was sent twice has two responses.
        guard let index = unanswered.firstIndex(of: request) else { return }
        if request.seq != nil, response.isTemporary {
            if postponed.insert(request.number).inserted {
                world.after(200_000) { [unowned self] in repeatPostponed(request) }
            }
            return
        }
        unanswered.remove(at: index)
        postponed.remove(request.number)
        let isDone = 200..<300 ~= response.status
        let at = request.name
        switch request.content {
        case .read:
            if isDone { learn(String(decoding: response.body, as: UTF8.self), response.version, at) }
            if response.status == 404 { (files[at].version, files[at].isMissing) = (nil, true) }
        case .put(let text, let condition, _):
            files[at].version = nil
            if case .mergesInto = condition, response.status != 200 { break }
            if isDone {
                let whole =
                    response.status == 200 ? String(decoding: response.body, as: UTF8.self) : text.string
                learn(whole, response.version, at)
            }
        // Sometimes the client keeps its version, which is outdated now. The server must refuse a `PUT` with it.
        case .append: if request.number % 2 == 0 { files[at].version = nil }
        case .readOld, .health, .malformed: break
        }
        if isDone || response.status == 412 { files[at].isMissing = false }
    }

    private func learn(_ text: String, _ version: WirePosition?, _ at: Int) {
        files[at].text = TextBuffer(normal: WireString(text))
        files[at].version = version
    }

    private func repeatPostponed(_ request: HTTPRequest) {
        if postponed.remove(request.number) != nil { machine.send(request) }
    }

    // MARK: After all faults have ended

    func finishWork() {
        for at in files.indices where files[at].isWanted && !unanswered.contains(where: { $0.name == at }) {
            read(at, ifNewerThan: files[at].version)
        }
    }

    func unfinishedWork() -> String? {
        unanswered.isEmpty ? nil : "a request over HTTP has no response yet: \(unanswered[0])"
    }

    func checkFinalState() {
        for file in files {
            guard let version = file.version, let history = world.referee.ledger[version.epoch] else {
                continue
            }
            if history.text(at: version.revision) != file.text {
                world.fail(.text, "a client with HTTP has a wrong text of revision \(version.revision.value)")
            }
        }
    }
}

extension HTTPResponse {
    /// Whether the client must send its change again later.
    fileprivate var isTemporary: Bool {
        switch status {
        case 401, 408, 429, 500, 503, 507: true
        case 409: body.contains(#""code":"replaced""#) || body.contains(#""code":"push_in_flight""#)
        default: false
        }
    }
}

extension [UInt8] {
    fileprivate func contains(_ text: String) -> Bool { firstRange(of: text.utf8) != nil }
}
