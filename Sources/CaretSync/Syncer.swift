package import CaretClient
import CaretWire

/// Keeps the files of a folder in sync with the documents of a server. Compares the files with the documents,
/// and runs the steps that `SyncDecision` returns.
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
    /// The epochs of recorded documents that must be compared with the server's history before they are used.
    var unproven: Set<WireString> = []
    /// How many lists of documents have begun.
    private(set) var listCount = 0
    /// True if some documents may have other names than their files.
    private var mayHaveRenames = false
    var agenda = SyncAgenda()
    var observations: [WireString: Observation] = [:]
    /// Known files that were missing when last checked. One of them may have been renamed.
    var missing: Set<WireString> = []
    /// The state of each file and its document when nothing was left to do.
    private var finished: [WireString: FinishedState] = [:]
    private var postponed: [WireString: Postponed] = [:]
    /// The files that are not synced now, and why.
    var reportedSkips: [WireString: SkipReason] = [:]
    /// Documents without a file, because another file or a folder is in the way.
    private var blocked: Set<WireString> = []
    /// The result of the last scan, without its list of files. It names the files and folders that the scan
    /// could not read.
    private var lastScan = SyncFolder.Scan()
    /// The files that the present pass checks at once.
    var batch: SyncBatch?
    /// Nil until it is read for the first time.
    var ignoreFile: IgnoreFile?
    /// The metadata of `.caretignore` when it was read last.
    var ignoreStatus: FileStatus?

    /// The signature of a file, and since when the file has had it, in milliseconds of a monotonic clock.
    struct Observation {
        let signature: SyncFolder.Signature?
        var since: Int
        /// True if the file has not changed since the program started.
        var isUnchangedSinceStart = false
        /// The content of the file, as long as it is needed.
        var content: ObservedFile.Content?
    }

    private struct FinishedState: Equatable {
        let signature: SyncFolder.Signature?
        let position: ServerDocuments.DocumentPosition?
    }

    /// A file whose step failed, and when to try again. If the file changes, the sync tries again at once.
    private struct Postponed {
        let signature: SyncFolder.Signature?
        let until: Int
        let reason: SyncReport
    }

    /// The milliseconds until a failed step is tried again. The server may then allow a step that it refused
    /// before.
    private static let delayAfterFailure = 60_000

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
        case .restarted:
            listCount += 1
            unproven = Set(state.records.values.compactMap { $0.head?.epoch.map { WireString($0) } })
        case .document(let summary):
            try requireOwnStore(summary.epoch)
            schedule(document: summary.document)
        case .gone(let gone): schedule(document: gone.document)
        case .complete:
            for (path, record) in state.records where record.push != nil || isNews(record, of: path) {
                agenda.schedule(path)
            }
            for (document, _) in news.documents {
                if let path = names.path(of: document), state.records[path] == nil { agenda.schedule(path) }
            }
        }
        mayHaveRenames = true
    }

    /// Records why the server sends no more events.
    package func newsEnded(_ reason: any Error) { newsEnd = reason }

    /// Throws if the server sends no more events. Then the sync must stop, because the known documents may be
    /// those of another server.
    func requireNews() throws {
        if let newsEnd { throw newsEnd }
    }

    /// Whether the server has listed all documents once.
    var hasAllDocuments: Bool {
        get throws {
            try requireNews()
            return news.isComplete
        }
    }

    /// Checks a file in the next pass.
    func schedule(_ path: WireString) { agenda.schedule(path) }

    /// Checks blocked documents again, because the file or folder in their way may be gone.
    func scheduleBlocked() {
        for path in blocked { agenda.schedule(path) }
        blocked = []
    }

    /// Throws if an epoch belongs to another store. An epoch begins with the name of its store.
    private func requireOwnStore(_ epoch: WireString) throws {
        guard let store = state.store, !epoch.utf8.starts(with: (store + ".").utf8) else { return }
        throw StoreChanged()
    }

    private func isNews(_ record: SyncRecord, of path: WireString) -> Bool {
        guard let document = names.document(of: path), let position = news.documents[document],
            let head = record.head
        else { return true }
        return position != head.position
    }

    private func schedule(document: WireString) {
        if let path = names.path(of: document) { agenda.schedule(path) }
    }

    /// Makes the next pass check the files that may have changed. If `needsScan` is true, the next pass scans
    /// the whole folder.
    package func changed(_ changes: FolderWatch.Changes) {
        for path in changes.files { agenda.schedule(WireString(path)) }
        if changes.needsScan { agenda.scheduleScan() }
    }

    /// Counts files and documents before the first pass.
    package func count() throws -> SyncCounts {
        try readIgnoreFile()
        let files = Set(try folder.scan(ignoring: ignoreFile) { _, _ in }.files.keys)
        let documents = Set(news.documents.keys.compactMap { names.path(of: $0) })
            .filter { ignoreFile?.ignores($0.string) != true }
        return SyncCounts(
            files: files.count, documents: documents.count, onlyHere: files.subtracting(documents).count,
            onlyThere: documents.subtracting(files).count)
    }

    // MARK: Passes

    /// Runs all steps that are possible now. Returns the milliseconds until the next pass. With `once`,
    /// returns nil if nothing is left to do.
    package func pass(_ watch: FolderWatch?, once: Bool) async throws -> Int? {
        try requireNews()
        if !state.folderExists {
            throw SyncFault.stateFolderRemoved(folder.root)
        }
        // After a reconnect, the list shows whether the records are still valid.
        if news.isListing { return Syncer.retryPause }
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
        for path in known where !lastScan.mayContain(path) { lookForOrigins(at: path) }
        try await checkAll(new.filter { !lastScan.mayContain($0) }, once: once)
        try await checkAll(known.filter { !lastScan.mayContain($0) }, once: once)
        if once, !agenda.hasFiles, ignoreFile?.dueAt == nil { return nil }
        return agenda.pause(at: clock.steady())
    }

    /// Finds out whether a known file is missing. A missing file may have been renamed to one of the new
    /// files.
    private func lookForOrigins(at path: WireString) {
        do throws(FileFault) {
            observe(path, try folder.signature(path))
        } catch {
            // `check` will get the same error when it looks at the file, and will report it.
        }
    }

    /// Whether every file that should be synced is in sync.
    package var isFullySynced: Bool { postponed.isEmpty && !reportedSkips.values.contains(where: \.isFault) }

    private func scan(_ watch: FolderWatch?) throws {
        let began = clock.steady()
        try readIgnoreFile()
        let scan = try folder.scan(ignoring: ignoreFile) { watch?.watch($0, $1) }
        for path in scan.unnameable { leaveAlone(WireString(path), .invalidName) }
        for path in scan.synced { leaveAlone(WireString(path), .syncedFolder) }
        for (path, fault) in scan.unreadable { leaveAlone(path, .unreadable(fault.reason)) }
        for path in lastScan.unreadable.keys where scan.unreadable[path] == nil { reportedSkips[path] = nil }
        let isSameView = lastScan.unreadable.keys == scan.unreadable.keys
        lastScan = scan
        lastScan.files = [:]
        for path in Set(scan.files.keys).union(state.records.keys).union(observations.keys) {
            let observation = observations[path]
            if observation == nil || observation?.signature != scan.files[path] || !isSameView {
                agenda.schedule(path)
            }
        }
        scheduleBlocked()
        for path in Array(state.records.keys) { try forgetExpired(path) }
        let now = clock.steady()
        agenda.scanned(at: now, taking: now - began, isWatched: watch?.isComplete ?? false)
        scheduleIgnoreScan()
    }

    func check(_ path: WireString, once: Bool) async throws -> Int? {
        guard let document = names.document(of: path) else {
            if try folder.signature(path) != nil, try !isIgnored(path) { leaveAlone(path, .invalidName) }
            return nil
        }
        var signature: SyncFolder.Signature?
        do {
            if try isIgnored(path) {
                if let wait = try stopSyncing(path) { return wait }
                (observations[path], finished[path], postponed[path]) = (nil, nil, nil)
                return nil
            }
            signature = try folder.signature(path)
            observe(path, signature)
            if isIdle(path),
                finished[path] == FinishedState(signature: signature, position: news.documents[document])
            {
                return nil
            }
            if isPostponed(path, signature), let postponed = postponed[path] {
                return once ? nil : postponed.until - clock.steady()
            }
            // A displaced file helps to find the text from which a later save was made. So displaced files
            // are handled only after all saved texts.
            if let wait = try await resolve(path, document) { return wait }
            let displaced = try resolveDisplaced(path)
            postponed[path] = nil
            recordFinished(path, document)
            // With `once`, the sync does not wait for displaced files. The next sync checks these files.
            return once && displaced != 0 ? nil : displaced
        } catch let fault as FileFault {
            postpone(path, signature, .notSynced(fault.description))
        } catch let refusal as ServerRefusal {
            postpone(path, signature, .refused(refusal.description))
        }
        return once ? nil : Syncer.delayAfterFailure
    }

    /// Whether the file has no push and no displaced files.
    private func isIdle(_ path: WireString) -> Bool {
        guard let record = state.records[path] else { return true }
        return record.push == nil && record.displaced.isEmpty
    }

    private func recordFinished(_ path: WireString, _ document: WireString) {
        guard let observation = observations[path] else { return }
        observations[path]?.content = nil
        finished[path] = FinishedState(signature: observation.signature, position: news.documents[document])
        if observation.signature == nil, state.records[path] == nil {
            // There is neither a file nor a record.
            (observations[path], finished[path]) = (nil, nil)
        }
    }

    // MARK: Files

    func observe(_ path: WireString, _ signature: SyncFolder.Signature?) {
        if signature == nil, state.records[path] != nil { missing.insert(path) } else { missing.remove(path) }
        if let observation = observations[path], observation.signature == signature { return }
        // A file that was not changed recently needs no waiting, even if the program has just started.
        var age = 0
        if observations[path] == nil, let signature {
            age = max(0, clock.wall() - signature.changed / 1_000_000)
        }
        let isUnchangedSinceStart = observations[path] == nil && state.records[path] != nil
        // The file no longer exists. It may have been in the way of other files.
        if signature == nil, observations[path]?.signature != nil { scheduleBlocked() }
        observations[path] = Observation(
            signature: signature, since: clock.steady() - age, isUnchangedSinceStart: isUnchangedSinceStart)
    }

    func isPostponed(_ path: WireString, _ signature: SyncFolder.Signature?) -> Bool {
        guard let postponed = postponed[path] else { return false }
        return postponed.signature == signature && clock.steady() < postponed.until
    }

    /// Postpones a file after a failure. If the same failure repeats, it is reported only once.
    func postpone(_ path: WireString, _ signature: SyncFolder.Signature?, _ reason: SyncReport) {
        let new = Postponed(
            signature: signature, until: clock.steady() + Syncer.delayAfterFailure, reason: reason)
        let old = postponed.updateValue(new, forKey: path)
        if old?.signature != signature || old?.reason != reason { report(reason, path) }
    }

    func deliver(_ what: SyncReport, _ path: WireString) {
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
