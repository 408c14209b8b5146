import CaretClient
import CaretCore
import CaretSync
import CaretWire
import Synchronization

/// A server in memory for synced folders. It keeps all texts of each document, and merges as the real server
/// does.
final class ModelServer: Sendable {
    struct Stored: Sendable {
        var epoch: String
        var texts: [String]
        var usesCRLF = false
        /// The first revision whose text can be read.
        var start = 0
        /// The text of each push, by its seq, and the revision it was committed as.
        var pushes: [Int: (text: String, revision: Int)] = [:]

        var head: String { texts[texts.count - 1] }
        var revision: Int { texts.count - 1 }
    }

    fileprivate struct State {
        var store: String
        var documents: [WireString: Stored] = [:]
        var lastDocument = 0
        var lastSeq = 0
        /// The events that each follower has not received yet.
        var news: [[FollowEvent]] = []
        /// The followers whose connection ended, so they need a new list of all documents.
        var disconnected: Set<Int> = []
        var isConnected = true
        /// The users of some revisions.
        var authors: [Int: String] = [:]
        /// The number of requests of each type.
        var requests: [String: Int] = [:]
        /// Every push, in the order of arrival.
        var pushes: [SyncRecord.Push] = []
        /// The error codes of the next refused requests, by the type of request.
        var refusals: [String: [ErrorCode]] = [:]
        /// Runs right before a request is processed.
        var before: (@Sendable (String) -> Void)?
        /// Runs after a request is processed, before its answer arrives.
        var after: (@Sendable (String) async throws -> Void)?
        /// While answers are held, the requests that wait for them.
        var held: [CheckedContinuation<Void, Never>]?
        /// The most requests that ever waited at once.
        var mostHeld = 0
        /// Waits until so many requests are held.
        var counting: (count: Int, continuation: CheckedContinuation<Void, Never>)?
    }

    private let state: Mutex<State>

    init(store: String = "s1") { state = Mutex(State(store: store)) }

    // MARK: For tests

    var store: String { state.withLock { $0.store } }
    var requests: [String: Int] { state.withLock { $0.requests } }
    var texts: [String: String] {
        state.withLock { state in
            Dictionary(uniqueKeysWithValues: state.documents.map { ($0.key.string, $0.value.head) })
        }
    }
    /// The texts of all revisions.
    func history(of document: WireString) -> [String] {
        state.withLock { $0.documents[document]?.texts ?? [] }
    }

    func watch(_ watcher: (@Sendable (String) -> Void)?) { state.withLock { $0.before = watcher } }

    func watchAnswers(_ watcher: (@Sendable (String) async throws -> Void)?) {
        state.withLock { $0.after = watcher }
    }

    /// Holds all answers until `releaseAnswers`. The requests themselves are processed at once.
    func holdAnswers() { state.withLock { $0.held = [] } }

    /// The number of requests that wait for their answers, and the most that ever waited at once.
    var held: (now: Int, most: Int) { state.withLock { ($0.held?.count ?? 0, $0.mostHeld) } }

    /// Waits until so many requests wait for their answers.
    func waitUntilHeld(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                if state.held?.count ?? 0 >= count { return true }
                state.counting = (count, continuation)
                return false
            }
            if isReached { continuation.resume() }
        }
    }

    /// Sends the held answers, the last one first. Later answers are not held.
    func releaseAnswers() {
        let held = state.withLock { state in
            defer { state.held = nil }
            return state.held ?? []
        }
        for answer in held.reversed() { answer.resume() }
    }

    nonisolated(nonsending) private func holdAnswer() async {
        await withCheckedContinuation { answer in
            let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
                guard state.held != nil else { return answer }
                state.held?.append(answer)
                let count = state.held?.count ?? 0
                state.mostHeld = max(state.mostHeld, count)
                guard let counting = state.counting, counting.count == count else { return nil }
                state.counting = nil
                return counting.continuation
            }
            next?.resume()
        }
    }

    var pushes: [SyncRecord.Push] { state.withLock { $0.pushes } }

    /// Refuses the next requests of this type, one request with each code. Refused requests have no effect.
    func refuse(_ request: String, with codes: [ErrorCode]) {
        state.withLock { $0.refusals[request] = codes }
    }

    func follow() -> Int {
        state.withLock { state in
            state.news.append([])
            return state.news.count - 1
        }
    }

    /// The first events that a follower receives.
    func beginning(for follower: Int) -> [FollowEvent] {
        state.withLock { state in
            state.news[follower] = []
            state.disconnected.remove(follower)
            let all = state.documents.map { FollowEvent.document($0.value.summary($0.key)) }
            return [.restarted] + all + [.complete]
        }
    }

    func removeNews(of follower: Int) -> [FollowEvent] {
        if state.withLock({ $0.disconnected.contains(follower) }) { return beginning(for: follower) }
        return state.withLock { state in
            defer { state.news[follower] = [] }
            return state.news[follower]
        }
    }

    /// Removes the texts before the head of a document from its history.
    func trim(_ document: WireString) {
        state.withLock { state in
            guard let revision = state.documents[document]?.revision else { return }
            state.documents[document]?.start = revision
        }
    }

    /// Says who has made a revision of all documents.
    func setAuthor(_ user: String, of revision: Int) { state.withLock { $0.authors[revision] = user } }

    /// Changes a document, as another user would.
    func set(_ document: WireString, _ text: String) {
        state.withLock { state in
            if state.documents[document] == nil { state.make(document) }
            state.documents[document]?.texts.append(text)
            state.reportChange(of: document)
        }
    }

    /// Ends all connections, and replaces all documents by an older copy. The epochs stay the same.
    func putBack(_ copy: [WireString: Stored]) {
        state.withLock { state in
            state.documents = copy
            state.disconnected = Set(state.news.indices)
        }
    }

    /// Whether requests reach the server. Otherwise no push must be sent.
    func setConnected(_ isConnected: Bool) { state.withLock { $0.isConnected = isConnected } }

    /// A copy of all documents. `restore` gives the store a new name.
    func backup() -> [WireString: Stored] { state.withLock { $0.documents } }

    func restore(_ backup: [WireString: Stored], as store: String) {
        state.withLock { state in
            state.store = store
            state.documents = backup.mapValues { stored in
                var stored = stored
                stored.epoch = store + "." + stored.epoch.split(separator: ".")[1]
                return stored
            }
        }
    }
}

extension ModelServer: SyncServer {
    nonisolated(nonsending) private func request<Answer>(
        _ name: String, _ body: (inout State) throws -> Answer
    ) async throws -> Answer {
        let watcher = state.withLock { $0.before }
        watcher?(name)
        let answer = try state.withLock { state in
            state.requests[name, default: 0] += 1
            if let code = state.refusals[name]?.first {
                state.refusals[name]?.removeFirst()
                throw Self.refusal(code)
            }
            return try body(&state)
        }
        try await state.withLock { $0.after }?(name)
        if state.withLock({ $0.held != nil }) { await holdAnswer() }
        return answer
    }

    nonisolated(nonsending) func read(_ document: WireString) async throws -> (
        head: SyncRecord.Head, usesCRLF: Bool
    ) {
        try await request("read") { state in
            guard let stored = state.documents[document] else { throw Self.refusal(.notFound) }
            let head = SyncRecord.Head(epoch: stored.epoch, revision: stored.revision, text: stored.head)
            return (head, stored.usesCRLF)
        }
    }

    var isConnected: Bool { state.withLock { $0.isConnected } }

    nonisolated(nonsending) func read(_ document: WireString, at revision: Int) async throws
        -> SyncRecord.Head
    {
        try await request("read at") { state in
            guard let stored = state.documents[document] else { throw Self.refusal(.notFound) }
            if revision > stored.revision { throw Self.refusal(.baseAhead) }
            if revision < stored.start { throw Self.refusal(.baseTrimmed) }
            return SyncRecord.Head(epoch: stored.epoch, revision: revision, text: stored.texts[revision])
        }
    }

    nonisolated(nonsending) func push(
        _ push: SyncRecord.Push, to document: WireString, usesCRLF: Bool, isExact: Bool
    ) async throws -> SyncAck {
        state.withLock { $0.pushes.append(push) }
        return try await request("push") { state in
            let isNew = state.documents[document] == nil
            if isNew {
                guard push.epoch == nil else { throw Self.refusal(.notFound) }
                state.make(document)
            }
            guard var stored = state.documents[document] else { throw Self.refusal(.internal) }
            if let known = stored.pushes[push.seq] {
                guard known.text.isSame(as: push.text) else { throw Self.refusal(.seqReused) }
                return SyncAck(
                    revision: known.revision, isUnchanged: false, text: stored.texts[known.revision],
                    epoch: push.epoch == nil ? stored.epoch : nil)
            }
            if push.text.isSame(as: stored.head) {
                if isNew { state.reportChange(of: document) }
                return SyncAck(
                    revision: stored.revision, isUnchanged: true, text: stored.head, epoch: stored.epoch)
            }
            if push.epoch.map({ !$0.isSame(as: stored.epoch) }) ?? (stored.revision > 0) {
                throw Self.refusal(.epochChanged)
            }
            guard push.base <= stored.revision else { throw Self.refusal(.baseAhead) }
            if isExact, push.base < stored.revision { throw Self.refusal(.baseBehind) }
            let merged = try Self.merged(stored.texts[push.base], push.text, stored.head)
            let isUnchanged = merged.isSame(as: stored.head)
            if !isUnchanged { stored.texts.append(merged) }
            stored.usesCRLF = usesCRLF
            stored.pushes[push.seq] = (push.text, stored.revision)
            state.documents[document] = stored
            if !isUnchanged { state.reportChange(of: document) }
            return SyncAck(
                revision: stored.revision, isUnchanged: isUnchanged, text: stored.head,
                epoch: push.epoch == nil ? stored.epoch : nil)
        }
    }

    nonisolated(nonsending) func rename(_ document: WireString, to new: WireString) async throws {
        try await request("rename") { state in
            guard let stored = state.documents[document] else { throw Self.refusal(.notFound) }
            if state.documents[new] != nil { throw Self.refusal(.exists) }
            state.documents[document] = nil
            state.documents[new] = stored
            state.report(
                .gone(Gone(document: document, epoch: WireString(stored.epoch), reason: .renamed, to: new)))
            state.reportChange(of: new)
        }
    }

    nonisolated(nonsending) func delete(_ document: WireString) async throws {
        try await request("delete") { state in
            guard let stored = state.documents.removeValue(forKey: document) else {
                throw Self.refusal(.notFound)
            }
            state.report(.gone(Gone(document: document, epoch: WireString(stored.epoch), reason: .deleted)))
        }
    }

    nonisolated(nonsending) func authors(of document: WireString, after: Int, through: Int) async -> [String]
    {
        state.withLock { state in
            let named = state.authors.filter { after < $0.key && $0.key <= through }
            return Set(named.values).sorted()
        }
    }

    func nextPushNumber() -> Int {
        state.withLock { state in
            state.lastSeq += 1
            return state.lastSeq
        }
    }

    private static func merged(_ base: String, _ own: String, _ other: String) throws -> String {
        let (start, head) = (try TextBuffer(base), try TextBuffer(other))
        let change = diff(from: start, to: try TextBuffer(own))
        return try head.applying(change.rebased(over: diff(from: start, to: head), tie: .otherFirst)).string
    }

    private static func refusal(_ code: ErrorCode) -> ServerRefusal {
        ServerRefusal(ErrorReport(code, "the model server says \(code.word)"))
    }
}

extension ModelServer.State {
    fileprivate mutating func make(_ document: WireString) {
        lastDocument += 1
        // The document's own part of the epoch is unique across servers.
        documents[document] = ModelServer.Stored(epoch: "\(store).\(store)-\(lastDocument)", texts: [""])
    }

    fileprivate mutating func reportChange(of document: WireString) {
        if let stored = documents[document] { report(.document(stored.summary(document))) }
    }

    fileprivate mutating func report(_ next: FollowEvent) {
        for follower in news.indices { news[follower].append(next) }
    }
}

extension ModelServer.Stored {
    fileprivate func summary(_ document: WireString) -> DocumentSummary {
        DocumentSummary(
            document: document, epoch: WireString(epoch), revision: Revision(revision),
            length: head.utf16.count,
            updated: 0)
    }
}
