import CaretClient
import CaretCore
import CaretWire
import Glibc

// Writing, moving and removing files.
extension Syncer {
    func writeFile(
        _ head: SyncRecord.Head, _ usesCRLF: Bool, _ path: WireString, _ document: WireString,
        over file: ObservedFile
    ) async throws {
        let known = state.records[path]
        var record = known ?? SyncRecord(path: path.string, seen: "", head: head, usesCRLF: usesCRLF)
        let users = try await ask {
            await server.authors(of: document, after: known?.shown ?? 0, through: head.revision)
        }
        let fileExists = file.content != .missing
        // The deleted file is written again. An editor may still have its previous text open, so the text is
        // kept.
        if !fileExists, known != nil { record.displaced.append(try keepSeen(of: record)) }
        let number = state.nextNumber()
        let new = state.swapPath(number)
        let mode = try folder.mode(path)
        let inode = try folder.disk.write(new, head.text.fileBytes(usesCRLF: usesCRLF), mode: mode)
        // Restores the mode of the existing file, because the umask of the process has removed some bits.
        if fileExists { try folder.disk.setMode(new, mode) }
        let made = try folder.disk.status(new).map { SyncFolder.Signature($0) }
        let old = fileExists ? observations[path]?.signature : nil
        try await keep(
            record.placing(
                number: number, inode: inode, before: known?.seen, replacing: fileExists, old,
                at: clock.wall()), after: [new])
        let placed = Result { () throws(FileFault) in
            // A program may have saved the file after the sync read it.
            if try folder.signature(path) != observations[path]?.signature {
                throw FileFault("replace it", path.string, EBUSY)
            }
            try folder.makeFolders(for: path)
            if fileExists { try folder.swap(new, with: path) } else { try folder.place(new, at: path) }
        }
        try await conclude(placed, path, number)
        guard case .success = placed else { return }
        remember(path, made, head.text, usesCRLF)
        report(.written(revision: head.revision, by: users), path)
    }

    /// Keeps the last known text of a file that a program removed or replaced, as if the sync had replaced the
    /// file.
    func keepSeen(of record: SyncRecord) throws -> SyncRecord.Displaced {
        let number = state.nextNumber()
        let bytes = record.seen.fileBytes(usesCRLF: record.usesCRLF)
        _ = try folder.disk.make(state.swapPath(number), bytes, mode: 0o600)
        return SyncRecord.Displaced(
            number: number, text: record.seen, at: clock.wall(), isOwn: record.isSeenOwn,
            signature: try folder.disk.status(state.swapPath(number)).map { SyncFolder.Signature($0) })
    }

    /// Records the content of a file that was just written, so that the file need not be read.
    private func remember(
        _ path: WireString, _ made: SyncFolder.Signature?, _ text: String, _ usesCRLF: Bool
    ) {
        // If the file cannot be examined now, the next pass examines it.
        guard let made, let now = try? folder.signature(path), now.hasBytes(of: made) else { return }
        let content = ObservedFile.Content.text(text, usesCRLF: FileText(text).usesCRLF.map { _ in usesCRLF })
        observations[path] = Observation(
            signature: now, since: clock.steady() - SyncDecision.QuietTime.newFile, content: content)
    }

    /// Records whether a new file was moved to its path. Before that, the new name is on disk.
    private func conclude(
        _ placed: Result<Void, FileFault>, _ path: WireString, _ number: Int
    ) async throws {
        let isPlaced = if case .success = placed { true } else { false }
        if let record = state.records[path]?.placed(isInPlace: isPlaced) {
            try await keep(record, after: [], isPlaced ? [folder.path(path).parentFolder] : [])
        } else {
            try state.forget(path)
        }
        guard case .failure(let fault) = placed else { return }
        try folder.disk.remove(state.swapPath(number))
        if fault.code != EBUSY, fault.code != EEXIST { throw fault }
    }

    func removeFile(_ path: WireString) throws {
        guard var record = state.records[path] else { return }
        let number = state.nextNumber()
        let aside = state.swapPath(number)
        record.removing = number
        try state.keep(record)
        try folder.disk.rename(folder.path(path), to: aside)
        try folder.disk.sync(folderOf: folder.path(path))
        if case .text(let text, _) = folder.content(aside), text.isSame(as: record.seen) {
            try state.discard(number, of: record.path, .deleted)
            try state.forget(path)
            folder.removeEmptyFolders(above: path)
            scheduleBlocked()
            report(.deletedElsewhere, path)
        } else {
            // The moved file has another text, because a program saved it just before the move.
            try putBack(path)
        }
    }

    /// Undoes an interrupted removal: moves the file back from the state folder. After that, `SyncDecision`
    /// decides the next step again.
    func putBack(_ path: WireString) throws {
        guard var record = state.records[path], let number = record.removing else { return }
        record.removing = nil
        do throws(FileFault) {
            if try folder.disk.status(state.swapPath(number)) != nil {
                try folder.makeFolders(for: path)
                try folder.install(state.swapPath(number), at: path)
            }
        } catch {
            if error.code != EEXIST { throw error }
            // While the file was in the state folder, a program has saved a new file at the path. So the
            // removed file becomes a displaced file.
            record.displaced.append(
                SyncRecord.Displaced(
                    number: number, text: record.seen, at: clock.wall(), isOwn: record.isSeenOwn))
        }
        try state.keep(record)
    }

    /// Renames the files of documents that other clients have renamed.
    func renameFiles() {
        for rename in SyncRenames.renamedElsewhere(state.records, news.documents, names) {
            var signature: SyncFolder.Signature?
            do {
                signature = try folder.signature(rename.path)
                observe(rename.path, signature)
                if isPostponed(rename.path, signature) { continue }
                try renameFile(rename)
            } catch {
                let fault = (error as? FileFault)?.description ?? "\(error)"
                postpone(rename.path, signature, .notSynced(fault))
            }
        }
    }

    private func renameFile(_ rename: SyncRenames.Rename) throws {
        // A kill may have interrupted an earlier move through the state folder.
        try putBack(rename.path)
        if try folder.obstacle(to: rename.path) != nil { return }
        let (old, new) = (try folder.signature(rename.path), try folder.signature(rename.new))
        if old != nil, new == nil {
            let obstacle = try folder.obstacle(to: rename.new)
            if let obstacle, obstacle.path != rename.path { return }
            if obstacle != nil || folder.content(at: rename.new) == .folder {
                // The new path needs a folder with the file's old name, or a folder has the new path.
                guard try moveByStateFolder(rename.path, to: rename.new) else { return }
            } else {
                try folder.move(rename.path, to: rename.new)
                try state.move(rename.path, to: rename.new)
            }
        } else if try old != nil || new == nil || folder.obstacle(to: rename.new) != nil {
            // If the file is missing, the user renamed it too, or deleted it without knowing the new name. In
            // both cases, the document gets a file with the new name. A second record of the document would
            // be out of date if the document got its old name back.
            if old == nil { try state.forget(rename.path) }
            return
        } else {
            try state.move(rename.path, to: rename.new)
        }
        for path in [rename.path, rename.new] { schedule(path) }
        scheduleBlocked()
        report(.renamedElsewhere(to: rename.new.string), rename.path)
    }

    /// Moves a file and its record to a new path. The file is first moved into the state folder. If the
    /// process crashes then, `putBack` finishes or undoes the move. Returns false if a folder still has the
    /// new path after the file was moved out of that folder.
    func moveByStateFolder(_ path: WireString, to new: WireString) throws -> Bool {
        guard var record = state.records[path] else { return false }
        let number = state.nextNumber()
        record.removing = number
        try state.keep(record)
        try folder.disk.rename(folder.path(path), to: state.swapPath(number))
        try folder.disk.sync(folderOf: folder.path(path))
        folder.removeEmptyFolders(above: path)
        let hasRoom = folder.content(at: new) != .folder
        if hasRoom { try state.move(path, to: new) }
        try putBack(hasRoom ? new : path)
        return hasRoom
    }

    /// Checks whether a program has changed the files that this sync replaced at a path, and merges such
    /// changes. Returns the milliseconds until the next check, or nil if no check is needed.
    func resolveDisplaced(_ path: WireString) throws -> Int? {
        var wait: Int?
        for displaced in state.records[path]?.displaced ?? [] {
            guard let record = state.records[path], record.push == nil else { return 0 }
            let full = state.swapPath(displaced.number)
            let status = try folder.disk.status(full)
            let changed = status.map { $0.changed / 1_000_000 } ?? 0
            let content = displaced.content(status) ?? folder.content(full)
            let observation = ObservedFile(content: content, quiet: max(0, clock.wall() - changed))
            let step = try SyncDecision.step(
                for: displaced, observation, of: record, nextSeq: server.nextPushNumber(), now: clock.wall())
            switch step {
            case .wait(let milliseconds): wait = min(wait ?? milliseconds, milliseconds)
            case .storeRecord(let record):
                try state.keep(record)
                return 0
            case .resolve: try resolve(displaced, observation.content, status, of: record)
            }
        }
        return wait
    }

    /// Keeps the text of a displaced file as an older text, because editors may have read it.
    private func resolve(
        _ displaced: SyncRecord.Displaced, _ content: ObservedFile.Content, _ status: FileStatus?,
        of record: SyncRecord
    ) throws {
        var resolved = record
        if let status, case .text(let text, _) = content, text.isSame(as: displaced.text) {
            resolved = record.resolved(displaced, SyncFolder.Signature(status))
        } else {
            resolved.displaced.removeAll { $0.number == displaced.number }
        }
        try forgetExpired(resolved)
        if resolved.older.last?.number != displaced.number {
            try folder.disk.remove(state.swapPath(displaced.number))
        }
    }

    /// Removes older texts that exceed the limits in `SyncRecord.OlderTextLimits`.
    func forgetExpired(_ path: WireString) throws {
        guard let record = state.records[path], !record.expired(at: clock.wall()).isEmpty else { return }
        try forgetExpired(record)
    }

    private func forgetExpired(_ record: SyncRecord) throws {
        var record = record
        for expired in record.expired(at: clock.wall()) {
            try state.discard(expired, of: record)
            record.older.removeAll { $0.number == expired.number }
        }
        try state.keep(record)
    }
}
