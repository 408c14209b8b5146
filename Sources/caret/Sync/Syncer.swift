import CaretClient
import CaretWire

/// Keeps the files of a folder together with the documents of a server: looks at both, and does what is decided.
///
/// Its state on disk is true at every moment, so that it may be killed at any.
actor Syncer {
    let client: CaretClient
    /// The public id of the client.
    let user: String?
    let names: SyncNames
    let folder: SyncFolder
    var state: SyncState
    private let tell: @Sendable (SyncReport, _ path: String, _ document: String) -> Void
    private let bell = Bell()
    var news = SyncNews()
    private var newsEnd: (any Error)?
    /// Since when files are as they are, in milliseconds of a steady clock.
    var looks: [WireString: (signature: SyncFolder.Signature?, since: Int)] = [:]
    /// How file and document were when there was nothing to be done.
    var resting: [WireString: Resting] = [:]
    private var held: [WireString: Held] = [:]
    var told: [WireString: LeftAlone] = [:]

    struct Resting: Equatable {
        let signature: SyncFolder.Signature?
        let stand: SyncNews.Stand?
    }

    /// What failed, until when it is not tried again, unless the file changes.
    private struct Held {
        let signature: SyncFolder.Signature?
        let until: Int
        let reason: SyncReport
    }

    /// What happens without the system telling is found after that time.
    private static let rescan = 10_000
    /// What was refused may be allowed by then.
    private static let hold = 60_000
    private static let breath = Duration.milliseconds(20)

    init(
        _ client: CaretClient, _ names: SyncNames, _ folder: SyncFolder, _ state: SyncState, user: String?,
        tell: @escaping @Sendable (SyncReport, _ path: String, _ document: String) -> Void
    ) {
        (self.client, self.names, self.folder, self.state) = (client, names, folder, state)
        self.user = user
        self.tell = tell
    }

    /// Goes on until something cannot be mended; with `once`, until all rests: then it is false where something was held
    /// back.
    func run(once: Bool) async throws -> Bool {
        let watch = try FolderWatch(ring: bell)
        let listening = Task { await listen() }
        defer { listening.cancel() }
        while !news.isComplete {
            try expectNews()
            await bell.wait(atMost: .seconds(1))
        }
        while true {
            let wait = try await pass(watch, once: once)
            if once, wait == nil { return held.isEmpty && !told.values.contains(where: \.isFault) }
            await bell.wait(atMost: .milliseconds(min(wait ?? Syncer.rescan, Syncer.rescan)))
            // A program that writes one file mostly writes more.
            try await Task.sleep(for: Syncer.breath)
        }
    }

    private func listen() async {
        do {
            for try await next in client.documentNews(prefix: names.prefix) {
                news.hear(next)
                // The address may be that of another server each time it could be reached again.
                if next == .complete { try checkServer() }
                bell.ring()
            }
            newsEnd = ConnectionFault.closed
        } catch {
            newsEnd = error
        }
        bell.ring()
    }

    /// Where no more is told, nothing more is done either: what is known of the documents may be that of another server.
    func expectNews() throws {
        if let newsEnd { throw newsEnd }
    }

    /// A server that has none of many documents is another one, or has lost them: that deletes no files.
    private func checkServer() throws {
        let synced = state.records.filter { $0.value.head != nil }
        if synced.count < 2 || news.haveAny(of: synced, names) { return }
        throw Failure(
            "\(folder.root): the server has none of the \(synced.count) documents that were synced",
            advice:
                "is it the right one? To make them all anew, remove the folder \(SyncNames.stateFolder) in it"
        )
    }

    // MARK: Passes

    /// Looks at everything once. Answers with the milliseconds after which there is more to do; nil where all rests.
    private func pass(_ watch: FolderWatch, once: Bool) async throws -> Int? {
        if !state.isThere {
            throw Failure("\(folder.root): its folder \(SyncNames.stateFolder) was taken away")
        }
        let scan = try folder.scan()
        watch.watch(scan.folders)
        for path in scan.unnameable { leaveAlone(WireString(path), .noName) }
        for (path, fault) in scan.unreadable { leaveAlone(path, .unreadable(fault.reason)) }
        let now = Milliseconds.steady
        let all = Set(scan.files.keys).union(state.records.keys).union(looks.keys)
        for path in all { look(at: path, scan.files[path], now) }
        renameFiles()
        var wait: Int?
        // A file that was not seen is not gone.
        for path in paths(scan) where !scan.hides(path) {
            guard let next = try await visit(path, scan.files[path], once: once) else { continue }
            wait = min(wait ?? next, next)
        }
        return wait
    }

    /// Files that are new come first: one may be another one that was renamed.
    private func paths(_ scan: SyncFolder.Scan) -> [WireString] {
        let there = news.documents.keys.compactMap { names.path(of: $0) }
        let known = Set(state.records.keys)
        let new = Set(scan.files.keys).union(there).subtracting(known)
        return new.sorted() + known.sorted()
    }

    func look(at path: WireString, _ signature: SyncFolder.Signature?, _ now: Int) {
        if let look = looks[path], look.signature == signature { return }
        // A file that was here before us and rests need not be waited for.
        var age = 0
        if looks[path] == nil, let signature {
            age = max(0, Milliseconds.wall - signature.changed / 1_000_000)
        }
        looks[path] = (signature, now - age)
    }

    private func visit(
        _ path: WireString, _ signature: SyncFolder.Signature?, once: Bool
    ) async throws -> Int? {
        try expectNews()
        guard let document = names.document(of: path) else {
            leaveAlone(path, .noName)
            return nil
        }
        let record = state.records[path]
        let now = Resting(signature: signature, stand: news.documents[document])
        let isIdle = record?.push == nil && record?.displaced.isEmpty != false
        if isIdle, resting[path] == now { return nil }
        if isHeld(path, signature), let held = held[path] {
            return once ? nil : held.until - Milliseconds.steady
        }
        do {
            // A displaced file tells from what a text was made that was saved meanwhile, so it goes once there is none.
            if let wait = try await settle(path, document) { return wait }
            let displaced = try settleDisplaced(path)
            held[path] = nil
            // Whoever is to end does not wait for them: they are looked at the next time.
            return once && displaced != 0 ? nil : displaced
        } catch let fault as FileFault {
            hold(path, signature, .heldBack(fault.description))
        } catch let refusal as ServerRefusal {
            hold(path, signature, .refused(refusal.description))
        }
        return once ? nil : Syncer.hold
    }

    func isHeld(_ path: WireString, _ signature: SyncFolder.Signature?) -> Bool {
        guard let held = held[path] else { return false }
        return held.signature == signature && Milliseconds.steady < held.until
    }

    /// Goes on with the others. Of what fails in the same way again nothing more is said.
    func hold(_ path: WireString, _ signature: SyncFolder.Signature?, _ reason: SyncReport) {
        let new = Held(signature: signature, until: Milliseconds.steady + Syncer.hold, reason: reason)
        let old = held.updateValue(new, forKey: path)
        if old?.signature != signature || old?.reason != reason { report(reason, path) }
    }

    func report(_ what: SyncReport, _ path: WireString) {
        tell(what, path.string, (names.document(of: path) ?? path).string)
    }

    func leaveAlone(_ path: WireString, _ reason: LeftAlone) {
        if told.updateValue(reason, forKey: path) != reason { report(.leftAlone(reason), path) }
    }
}
