import CaretWire

/// The files of a pass that are in flight, and the tasks that wait. Confined to its syncer.
struct SyncBatch {
    var turns: SyncTurns
    /// The task that begins the next file.
    var starter: CheckedContinuation<Void, Never>?
    var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    /// What each file wants to have on disk before it goes on.
    var syncs: [Int: DiskSync] = [:]
    var syncResults: [Int: Result<Void, FileFault>] = [:]
    /// The reports of files that wait for those of an earlier file.
    var reports: [Int: [(report: SyncReport, path: WireString)]] = [:]
    /// The first error, which ends the pass.
    var failure: (any Error)?

    init(_ paths: [WireString]) { turns = SyncTurns(paths) }

    struct DiskSync {
        var files: [String]
        var folders: [String]
    }
}

// Several files at once. While a file waits for the server or the disk, others have the turn.
extension Syncer {
    /// Checks these files, several at a time.
    func checkAll(_ paths: [WireString], once: Bool) async throws {
        if paths.isEmpty { return }
        batch = SyncBatch(paths)
        give(batch?.turns.begin())
        do {
            try await withThrowingDiscardingTaskGroup { group in
                for file in paths.indices {
                    guard await mayBegin(file) else { return }
                    group.addTask { try await self.check(file, once: once) }
                }
            }
        } catch {
            // This is not always the first error, which `fail` has kept.
            fail(error)
        }
        let failure = batch?.failure
        batch = nil
        if let failure { throw failure }
    }

    /// Checks a file that has the turn.
    private func check(_ file: Int, once: Bool) async throws {
        do {
            guard let path = batch?.turns.paths[file] else { return }
            try requireNews()
            if let wait = try await check(path, once: once) {
                agenda.schedule(path, at: clock.steady() + wait)
            }
            if batch?.failure != nil { return }
            let next = batch?.turns.finished(file)
            // A file that is not done may be in the middle of its next step.
            deliverReports(before: batch?.turns.oldest ?? file)
            give(next)
        } catch {
            fail(error)
            throw error
        }
    }

    // MARK: Turns

    /// Passes the turn on.
    private func give(_ turn: SyncTurns.Turn?) {
        switch turn {
        case .begin:
            batch?.starter?.resume()
            batch?.starter = nil
        case .resume(let file): batch?.waiters.removeValue(forKey: file)?.resume()
        case .end, nil: break
        }
    }

    /// Waits until a file may begin. Returns false if the pass has failed.
    private func mayBegin(_ file: Int) async -> Bool {
        if batch?.failure == nil, batch?.turns.running != file {
            await withCheckedContinuation { batch?.starter = $0 }
        }
        return batch?.failure == nil
    }

    private func turn(of file: Int) async {
        if batch?.failure != nil || batch?.turns.running == file { return }
        await withCheckedContinuation { batch?.waiters[file] = $0 }
    }

    /// Ends the pass. Files that wait for an answer are not continued, as if the program had been killed. The
    /// next pass continues them.
    private func fail(_ error: any Error) {
        if batch == nil || batch?.failure != nil { return }
        batch?.failure = error
        deliverReports(before: .max)
        let waiters = batch?.waiters.sorted { $0.key < $1.key } ?? []
        batch?.waiters = [:]
        for (_, waiter) in waiters { waiter.resume() }
        batch?.starter?.resume()
        batch?.starter = nil
    }

    /// Sends a request, and lets other files have the turn until its answer arrives. `count` says how many bytes
    /// of text the request or its answer has.
    func ask<Answer>(
        holding count: Int? = nil, _ request: () async throws -> Answer
    ) async throws -> Answer {
        if batch?.failure != nil { throw CancellationError() }
        guard let file = batch?.turns.running else { return try await request() }
        give(batch?.turns.waits(file, holding: count))
        let answer: Result<Answer, any Error>
        do {
            answer = .success(try await request())
        } catch {
            answer = .failure(error)
        }
        await turn(of: file)
        if batch?.failure != nil { throw CancellationError() }
        return try answer.get()
    }

    /// Waits until no other file is in flight. Returns false if there was no other, so that nothing has changed
    /// meanwhile.
    func becomeAlone() async throws -> Bool {
        if batch?.failure != nil { throw CancellationError() }
        guard let file = batch?.turns.running, let next = batch?.turns.waitsToBeAlone(file) else {
            return false
        }
        give(next)
        await turn(of: file)
        if batch?.failure != nil { throw CancellationError() }
        return true
    }

    // MARK: The disk

    /// Stores a record. Before the record is in its place, `files` and the names in `folders` are on disk.
    func keep(_ record: SyncRecord, after files: [String] = [], _ folders: [String] = []) async throws {
        let unsynced = try state.write(record)
        try await sync(files + [unsynced.file], folders)
        try state.install(unsynced)
        // This also happens if the pass fails: the records in memory and on disk must stay equal.
        try await sync([], [unsynced.folder])
        state.kept(unsynced)
    }

    /// Syncs files and the names in folders to disk, together with those of other files in flight: one sync
    /// of many files takes hardly longer than that of one.
    func sync(_ files: [String], _ folders: [String]) async throws(FileFault) {
        guard batch?.failure == nil, let file = batch?.turns.running else {
            for path in files { try folder.disk.sync(file: path) }
            for path in folders { try folder.disk.sync(folder: path) }
            return
        }
        batch?.syncs[file] = SyncBatch.DiskSync(files: files, folders: folders)
        give(batch?.turns.waits(file))
        await turn(of: file)
        if batch?.syncs[file] != nil { syncAll() }
        try batch?.syncResults.removeValue(forKey: file)?.get()
    }

    private func syncAll() {
        let syncs = batch?.syncs.sorted { $0.key < $1.key } ?? []
        batch?.syncs = [:]
        let disk = folder.disk
        for (_, sync) in syncs where syncs.count > 1 { for path in sync.files { disk.beginSync(file: path) } }
        for (file, sync) in syncs {
            batch?.syncResults[file] = Result { () throws(FileFault) in
                for path in sync.files { try disk.sync(file: path) }
            }
        }
        var folders: [String: Result<Void, FileFault>] = [:]
        for (file, sync) in syncs {
            for path in sync.folders {
                let result = folders[path] ?? Result { () throws(FileFault) in try disk.sync(folder: path) }
                folders[path] = result
                if case .failure = result { batch?.syncResults[file] = result }
            }
        }
    }

    // MARK: Reports

    /// Reports what was done, in the order of the files.
    func report(_ what: SyncReport, _ path: WireString) {
        if batch?.failure == nil, let file = batch?.turns.running {
            if file != batch?.turns.oldest {
                batch?.reports[file, default: []].append((what, path))
                return
            }
            deliverReports(before: file + 1)
        }
        deliver(what, path)
    }

    private func deliverReports(before end: Int) {
        let due = batch?.reports.keys.filter { $0 < end }.sorted() ?? []
        for file in due {
            for (report, path) in batch?.reports.removeValue(forKey: file) ?? [] { deliver(report, path) }
        }
    }
}
