import CaretWire

// Files that `.caretignore` excludes.
extension Syncer {
    private var ignorePath: WireString { WireString(IgnoreFile.name) }

    /// Reads `.caretignore`. While it cannot be read, the earlier rules apply.
    func readIgnoreFile() throws {
        ignoreStatus = try folder.disk.status(folder.path(ignorePath))
        let rules: IgnoreRules
        switch SyncFolder(root: folder.root, limit: IgnoreFile.limit, on: folder.disk).content(at: ignorePath)
        {
        case .missing: rules = IgnoreRules("")
        case .text(let text, _): rules = IgnoreRules(text)
        case .folder, .blocked: return try rejectIgnoreFile(.notRegularFile)
        case .other(let reason): return try rejectIgnoreFile(reason)
        }
        reportedSkips[ignorePath] = nil
        // After a start, the rules of the last run count as earlier ones.
        var file = ignoreFile ?? IgnoreFile(state.ignoreRules.map { IgnoreRules($0) } ?? rules)
        let isChanged = file.read(rules, at: clock.steady())
        ignoreFile = file
        if file.dueAt == nil { try state.keepIgnoreRules(rules.text) }
        if isChanged {
            for path in state.records.keys { schedule(path) }
            for path in news.documents.keys.compactMap({ names.path(of: $0) }) { schedule(path) }
        }
        scheduleIgnoreScan()
    }

    /// Makes a pass scan the folder when earlier rules end.
    func scheduleIgnoreScan() {
        if let due = ignoreFile?.dueAt { agenda.scheduleScan(at: due) }
    }

    private func rejectIgnoreFile(_ reason: SkipReason) throws {
        if ignoreFile == nil { throw SyncFault.invalidIgnoreFile(folder.path(ignorePath)) }
        ignoreFile?.keepAll(at: clock.steady())
        leaveAlone(ignorePath, reason)
        scheduleIgnoreScan()
    }

    /// Whether a file is excluded now. Reads the rules again if their file has changed, because a pass over many files
    /// takes long.
    func isIgnored(_ path: WireString) throws -> Bool {
        if try folder.disk.status(folder.path(ignorePath)) != ignoreStatus { try readIgnoreFile() }
        return ignoreFile?.ignores(path.string) ?? false
    }

    /// Stops syncing a file that is ignored now. The file and its document stay as they are. If it is too early, returns
    /// the milliseconds to wait.
    func stopSyncing(_ path: WireString) throws -> Int? {
        guard state.records[path] != nil else { return nil }
        // Somebody may be typing the rules, which exclude every file for a moment.
        if let due = ignoreFile?.dueAt { return max(0, due - clock.steady()) }
        try putBack(path)
        // A program may still be writing into the file that the sync has replaced.
        let ages = state.records[path]?.displaced.map { max(0, clock.wall() - $0.at) } ?? []
        if let age = ages.min(), age < SyncDecision.QuietTime.displaced {
            return SyncDecision.QuietTime.displaced - age
        }
        try state.forget(path)
        missing.remove(path)
        leaveAlone(path, .ignored)
        return nil
    }
}
