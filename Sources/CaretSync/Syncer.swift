package import CaretClient
import CaretWire

/// Keeps the files of a folder in sync with the documents of a server. Compares both, and runs the steps that
/// `SyncDecision` returns.
///
/// The state on disk is valid at every moment, so the process may be killed at any time.
package actor Syncer {
    let server: any SyncServer
    let names: SyncNames
    let folder: SyncFolder
    let clock: SyncClock
    package var state: SyncState
    private let onReport: @Sendable (SyncReport, _ path: String, _ document: String) -> Void
    package internal(set) var news = ServerDocuments()
    private var newsEnd: (any Error)?
    /// Some documents may have other names than their files.
    private var mayHaveRenames = false
    private var agenda = SyncAgenda()
    var looks: [WireString: Look] = [:]
    /// Known files that were missing when last checked. One of them may have been renamed.
    var missing: Set<WireString> = []
    /// The state of each file and its document when nothing was left to do.
    private var resting: [WireString: Resting] = [:]
    private var held: [WireString: Postponed] = [:]
    private var reportedSkips: [WireString: SkipReason] = [:]
    /// Documents without a file, because another file or a folder is in the way.
    private var blocked: Set<WireString> = []
    /// The files and folders that the last scan could not read.
    private var unseen = SyncFolder.Scan()

    /// The signature of a file, and since when the file has had it, in milliseconds of a monotonic clock.
    struct Look {
        let signature: SyncFolder.Signature?
        var since: Int
        /// The file has been unchanged since the program started.
        var isFromBefore = false
        /// The content of the file, as long as it is needed.
        var content: FileLook.Content?
    }

    private struct Resting: Equatable {
        let signature: SyncFolder.Signature?
        let stand: ServerDocuments.DocumentPosition?
    }

    /// A file whose step failed, and when to try again. If the file changes, the sync tries again at once.
    private struct Postponed {
        let signature: SyncFolder.Signature?
        let until: Int
        let reason: SyncReport
    }

    /// The milliseconds until a failed step is tried again. A refused step may be allowed by then.
    private static let hold = 60_000

    package init(
        _ server: any SyncServer, _ names: SyncNames, _ folder: SyncFolder, _ state: SyncState,
        clock: SyncClock = .system,
        onReport: @escaping @Sendable (SyncReport, _ path: String, _ document: String) -> Void
    ) {
        (self.server, self.names, self.folder, self.state) = (server, names, folder, state)
        self.clock = clock
        self.onReport = onReport
    }

    // MARK: Events

    /// Handles an event of the server. The sync changes nothing until the server has listed all documents
    /// once.
    package func apply(_ next: FollowEvent) throws {
        news.apply(next)
        switch next {
        case .restarted: break
        case .document(let summary):
            try expect(summary.epoch)
            visit(document: summary.document)
        case .gone(let gone): visit(document: gone.document)
        case .complete:
            for (path, record) in state.records where isNews(record, of: path) { agenda.visit(path) }
            for (document, _) in news.documents {
                if let path = names.path(of: document), state.records[path] == nil { agenda.visit(path) }
            }
        }
        mayHaveRenames = true
    }

    /// Records why the server sends no more events.
    func newsEnded(_ reason: any Error) { newsEnd = reason }

    /// Throws if the server sends no more events. Then the sync must stop, because the known documents may be
    /// those of another server.
    func expectNews() throws {
        if let newsEnd { throw newsEnd }
    }

    /// Whether the server has listed all documents once.
    var knowsDocuments: Bool {
        get throws {
            try expectNews()
            return news.isComplete
        }
    }

    /// Checks a file in the next pass.
    func visit(_ path: WireString) { agenda.visit(path) }

    /// Checks blocked documents again, because the file or folder in their way may be gone.
    func visitBlocked() {
        for path in blocked { agenda.visit(path) }
        blocked = []
    }

    /// Throws if an epoch belongs to another store. An epoch begins with the name of its store.
    private func expect(_ epoch: WireString) throws {
        guard let store = state.store, !epoch.utf8.starts(with: (store + ".").utf8) else { return }
        throw StoreChanged()
    }

    private func isNews(_ record: SyncRecord, of path: WireString) -> Bool {
        guard let document = names.document(of: path), let stand = news.documents[document],
            let head = record.head
        else { return true }
        return stand != head.stand
    }

    private func visit(document: WireString) {
        if let path = names.path(of: document) { agenda.visit(path) }
    }

    /// Checks files that may have changed in the next pass. With `needsScan`, the next pass scans the whole
    /// folder.
    package func changed(_ changes: FolderWatch.Changes) {
        for path in changes.files { agenda.visit(WireString(path)) }
        if changes.needsScan { agenda.scan() }
    }

    /// Counts files and documents before the first pass.
    func count() throws -> SyncCounts {
        let files = Set(try folder.scan { _, _ in }.files.keys)
        let documents = Set(news.documents.keys.compactMap { names.path(of: $0) })
        return SyncCounts(
            files: files.count, documents: documents.count, onlyHere: files.subtracting(documents).count,
            onlyThere: documents.subtracting(files).count)
    }

    // MARK: Passes

    /// Runs all steps that are possible now. Returns the milliseconds until the next pass. With `once`,
    /// returns nil if nothing is left to do.
    package func pass(_ watch: FolderWatch?, once: Bool) async throws -> Int? {
        try expectNews()
        if !state.isThere {
            throw SyncFault.stateFolderRemoved(folder.root)
        }
        if agenda.scanAt <= clock.steady() { try scan(watch) }
        if mayHaveRenames {
            mayHaveRenames = false
            renameFiles()
        }
        // New files come first, because a new file may be a renamed known file.
        let due = agenda.removeDue(at: clock.steady()).sorted()
        let (known, new) = due.reduce(into: ([WireString](), [WireString]())) { lists, path in
            if state.records[path] == nil { lists.1.append(path) } else { lists.0.append(path) }
        }
        for path in known where !unseen.hides(path) { lookForOrigins(at: path) }
        for path in new + known where !unseen.hides(path) {
            try expectNews()
            if let wait = try await visit(path, once: once) {
                agenda.visit(path, at: clock.steady() + wait)
            }
        }
        if once, !agenda.hasVisits { return nil }
        return agenda.pause(at: clock.steady())
    }

    /// Finds out whether a known file is missing. It may have been renamed to one of the new files.
    private func lookForOrigins(at path: WireString) {
        do throws(FileFault) {
            look(at: path, try folder.signature(path))
        } catch {
            // The error is reported when the file is visited.
        }
    }

    /// Whether every file that should be synced is in sync.
    var isWhole: Bool { held.isEmpty && !reportedSkips.values.contains(where: \.isFault) }

    private func scan(_ watch: FolderWatch?) throws {
        let began = clock.steady()
        let scan = try folder.scan { watch?.watch($0, $1) }
        for path in scan.unnameable { leaveAlone(WireString(path), .noName) }
        for path in scan.synced { leaveAlone(WireString(path), .synced) }
        for (path, fault) in scan.unreadable { leaveAlone(path, .unreadable(fault.reason)) }
        let isSameView = unseen.unreadable.keys == scan.unreadable.keys
        unseen = scan
        unseen.files = [:]
        for path in Set(scan.files.keys).union(state.records.keys).union(looks.keys) {
            let look = looks[path]
            if look == nil || look?.signature != scan.files[path] || !isSameView { agenda.visit(path) }
        }
        visitBlocked()
        for path in Array(state.records.keys) { try forgetExpired(path) }
        let now = clock.steady()
        agenda.scanned(at: now, taking: now - began, isWatched: watch?.isComplete ?? false)
    }

    private func visit(_ path: WireString, once: Bool) async throws -> Int? {
        guard let document = names.document(of: path) else {
            if try folder.signature(path) != nil { leaveAlone(path, .noName) }
            return nil
        }
        var signature: SyncFolder.Signature?
        do {
            signature = try folder.signature(path)
            look(at: path, signature)
            if isIdle(path), resting[path] == Resting(signature: signature, stand: news.documents[document]) {
                return nil
            }
            if isHeld(path, signature), let held = held[path] {
                return once ? nil : held.until - clock.steady()
            }
            // A displaced file helps to find the text from which a later save was made. So displaced files
            // are handled only after all saved texts.
            if let wait = try await resolve(path, document) { return wait }
            let displaced = try resolveDisplaced(path)
            held[path] = nil
            rest(path, document)
            // With `once`, the sync does not wait for displaced files. The next sync checks them.
            return once && displaced != 0 ? nil : displaced
        } catch let fault as FileFault {
            hold(path, signature, .heldBack(fault.description))
        } catch let refusal as ServerRefusal {
            hold(path, signature, .refused(refusal.description))
        }
        return once ? nil : Syncer.hold
    }

    /// Whether the file has no push and no displaced files.
    private func isIdle(_ path: WireString) -> Bool {
        guard let record = state.records[path] else { return true }
        return record.push == nil && record.displaced.isEmpty
    }

    private func rest(_ path: WireString, _ document: WireString) {
        guard let look = looks[path] else { return }
        looks[path]?.content = nil
        resting[path] = Resting(signature: look.signature, stand: news.documents[document])
        if look.signature == nil, state.records[path] == nil {
            // There is neither a file nor a record.
            (looks[path], resting[path]) = (nil, nil)
        }
    }

    // MARK: Files

    func look(at path: WireString, _ signature: SyncFolder.Signature?) {
        if signature == nil, state.records[path] != nil { missing.insert(path) } else { missing.remove(path) }
        if let look = looks[path], look.signature == signature { return }
        // A file that was not changed recently needs no waiting, even if the program has just started.
        var age = 0
        if looks[path] == nil, let signature { age = max(0, clock.wall() - signature.changed / 1_000_000) }
        let isFromBefore = looks[path] == nil && state.records[path] != nil
        // The file is gone. It may have been in the way of other files.
        if signature == nil, looks[path]?.signature != nil { visitBlocked() }
        looks[path] = Look(signature: signature, since: clock.steady() - age, isFromBefore: isFromBefore)
    }

    func isHeld(_ path: WireString, _ signature: SyncFolder.Signature?) -> Bool {
        guard let held = held[path] else { return false }
        return held.signature == signature && clock.steady() < held.until
    }

    /// Postpones a file after a failure. A repeated failure is reported once.
    func hold(_ path: WireString, _ signature: SyncFolder.Signature?, _ reason: SyncReport) {
        let new = Postponed(signature: signature, until: clock.steady() + Syncer.hold, reason: reason)
        let old = held.updateValue(new, forKey: path)
        if old?.signature != signature || old?.reason != reason { report(reason, path) }
    }

    func report(_ what: SyncReport, _ path: WireString) {
        onReport(what, path.string, (names.document(of: path) ?? path).string)
    }

    func leaveAlone(_ path: WireString, _ reason: SkipReason) {
        if reportedSkips.updateValue(reason, forKey: path) != reason { report(.leftAlone(reason), path) }
        if reason.isObstacle { blocked.insert(path) }
    }
}

/// The server has another store than the one that the folder was synced with.
package struct StoreChanged: Error {}

/// The numbers of files and documents when a sync starts.
package struct SyncCounts: Equatable, Sendable {
    package var files: Int
    package var documents: Int
    package var onlyHere: Int
    package var onlyThere: Int
}
