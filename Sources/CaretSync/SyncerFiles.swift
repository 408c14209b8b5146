import CaretClient
import CaretCore
import CaretWire
import Glibc

// Putting files in place, moving and removing them.
extension Syncer {
    func place(
        _ head: SyncRecord.Head, _ usesCRLF: Bool, _ path: WireString, _ document: WireString,
        over file: FileLook
    ) async throws {
        let known = state.records[path]
        var record = known ?? SyncRecord(path: path.string, seen: "", head: head, usesCRLF: usesCRLF)
        let users = await server.authors(of: document, after: known?.shown ?? 0, through: head.revision)
        let isThere = file.content != .missing
        // An editor may hold the text of a file that was deleted and comes back.
        if !isThere, known != nil { record.older.append(try keepSeen(of: record)) }
        let number = state.nextNumber()
        let new = state.swap(number)
        let mode = try folder.mode(path)
        let inode = try folder.disk.make(new, head.text.fileBytes(usesCRLF: usesCRLF), mode: mode)
        // Restores the mode of the existing file, of which the process's mask has removed a part.
        if isThere { try folder.disk.setMode(new, mode) }
        let made = try folder.disk.status(new).map { SyncFolder.Signature($0) }
        let old = isThere ? looks[path]?.signature : nil
        try state.keep(
            record.placing(
                number: number, inode: inode, before: known?.seen, replacing: isThere, old, at: clock.wall()))
        let placed = Result { () throws(FileFault) in
            // Somebody may have saved it since it was read.
            if try folder.signature(path) != looks[path]?.signature {
                throw FileFault("replace it", path.string, EBUSY)
            }
            try folder.makeFolders(for: path)
            if isThere { try folder.exchange(new, with: path) } else { try folder.place(new, at: path) }
        }
        try conclude(placed, path, number)
        guard case .success = placed else { return }
        remember(path, made, head.text, usesCRLF)
        report(.written(revision: head.revision, by: users), path)
    }

    private func keepSeen(of record: SyncRecord) throws -> SyncRecord.Older {
        let number = state.nextNumber()
        let bytes = record.seen.fileBytes(usesCRLF: record.usesCRLF)
        _ = try folder.disk.make(state.swap(number), bytes, mode: 0o600)
        guard let status = try folder.disk.status(state.swap(number)) else {
            throw FileFault("keep its text", record.path, ENOENT)
        }
        return SyncRecord.Older(
            number: number, at: clock.wall(), isOwn: record.isSeenOwn, signature: .init(status))
    }

    /// Records a file that was just put in place, so that it need not be read.
    private func remember(
        _ path: WireString, _ made: SyncFolder.Signature?, _ text: String, _ usesCRLF: Bool
    ) {
        // If it cannot be examined now, the next pass does it.
        guard let made, let now = try? folder.signature(path), now.hasBytes(of: made) else { return }
        let content = FileLook.Content.text(text, usesCRLF: FileText(text).usesCRLF.map { _ in usesCRLF })
        looks[path] = Look(
            signature: now, since: clock.steady() - SyncDecision.Patience.newFile, content: content)
    }

    /// Records whether a file is in place.
    private func conclude(_ placed: Result<Void, FileFault>, _ path: WireString, _ number: Int) throws {
        let isPlaced = if case .success = placed { true } else { false }
        if let record = state.records[path]?.placed(isInPlace: isPlaced) {
            try state.keep(record)
        } else {
            try state.forget(path)
        }
        guard case .failure(let fault) = placed else { return }
        try folder.disk.remove(state.swap(number))
        if fault.code != EBUSY, fault.code != EEXIST { throw fault }
    }

    func removeFile(_ path: WireString) throws {
        guard var record = state.records[path] else { return }
        let number = state.nextNumber()
        let aside = state.swap(number)
        record.removing = number
        try state.keep(record)
        try folder.disk.rename(folder.path(path), to: aside)
        try folder.disk.sync(folderOf: folder.path(path))
        if case .text(let text, _) = folder.content(aside), text.isSame(as: record.seen) {
            try state.discard(number, of: record.path, .deleted)
            try state.forget(path)
            folder.removeEmptyFolders(above: path)
            visitBlocked()
            report(.deletedElsewhere, path)
        } else {
            // It was saved at that moment.
            try putBack(path)
        }
    }

    /// Undoes a removal that was interrupted. The next step is decided again.
    func putBack(_ path: WireString) throws {
        guard var record = state.records[path], let number = record.removing else { return }
        record.removing = nil
        do throws(FileFault) {
            if try folder.disk.status(state.swap(number)) != nil {
                try folder.makeFolders(for: path)
                try folder.place(state.swap(number), at: path)
            }
        } catch {
            if error.code != EEXIST { throw error }
            // Somebody has saved another one meanwhile, so this one counts as displaced.
            record.displaced.append(
                SyncRecord.Displaced(
                    number: number, text: record.seen, at: clock.wall(), isOwn: record.isSeenOwn))
        }
        try state.keep(record)
    }

    /// Renames the files of documents that were renamed elsewhere.
    func renameFiles() {
        for rename in SyncRenames.elsewhere(state.records, news.documents, names) {
            var signature: SyncFolder.Signature?
            do {
                signature = try folder.signature(rename.path)
                look(at: rename.path, signature)
                if isHeld(rename.path, signature) { continue }
                try follow(rename)
            } catch {
                let fault = (error as? FileFault)?.description ?? "\(error)"
                hold(rename.path, signature, .heldBack(fault))
            }
        }
    }

    private func follow(_ rename: SyncRenames.Rename) throws {
        if try folder.obstacle(to: rename.path) != nil { return }
        let (old, new) = (try folder.signature(rename.path), try folder.signature(rename.new))
        if old != nil, new == nil {
            let obstacle = try folder.obstacle(to: rename.new)
            if let obstacle, obstacle.path != rename.path { return }
            if obstacle != nil || folder.content(at: rename.new) == .folder {
                // The file itself is in the way of its new folder, or its folder has the new name.
                guard try moveByStateFolder(rename.path, to: rename.new) else { return }
            } else {
                try folder.move(rename.path, to: rename.new)
                try state.move(rename.path, to: rename.new)
            }
        } else if try old != nil || new == nil || folder.obstacle(to: rename.new) != nil {
            // If the file is missing, it was renamed here too, or deleted by somebody who did not know the
            // new name. The document gets a file with the new name.
            return
        } else {
            try state.move(rename.path, to: rename.new)
        }
        for path in [rename.path, rename.new] { visit(path) }
        visitBlocked()
        report(.renamedElsewhere(to: rename.new.string), rename.path)
    }

    /// Moves a file and its record by way of the state folder, from where `putBack` continues after a kill.
    /// Returns false if the new name still belongs to a folder after the file has left it.
    func moveByStateFolder(_ path: WireString, to new: WireString) throws -> Bool {
        guard var record = state.records[path] else { return false }
        let number = state.nextNumber()
        record.removing = number
        try state.keep(record)
        try folder.disk.rename(folder.path(path), to: state.swap(number))
        try folder.disk.sync(folderOf: folder.path(path))
        folder.removeEmptyFolders(above: path)
        let hasRoom = folder.content(at: new) != .folder
        if hasRoom { try state.move(path, to: new) }
        try putBack(hasRoom ? new : path)
        return hasRoom
    }

    /// Checks the files that were just displaced.
    func settleDisplaced(_ path: WireString) throws -> Int? {
        var wait: Int?
        for displaced in state.records[path]?.displaced ?? [] {
            guard let record = state.records[path], record.push == nil else { return 0 }
            let full = state.swap(displaced.number)
            let status = try folder.disk.status(full)
            let changed = status.map { $0.changed / 1_000_000 } ?? 0
            let content = displaced.content(status) ?? folder.content(full)
            let look = FileLook(content: content, quiet: max(0, clock.wall() - changed))
            let step = try SyncDecision.step(
                for: displaced, look, of: record, nextSeq: server.nextPushNumber(), now: clock.wall())
            switch step {
            case .wait(let milliseconds): wait = min(wait ?? milliseconds, milliseconds)
            case .keep(let record):
                try state.keep(record)
                return 0
            case .settle: try settle(displaced, look.content, status, of: record)
            }
        }
        return wait
    }

    /// Keeps the text of a displaced file for editors that have read it.
    private func settle(
        _ displaced: SyncRecord.Displaced, _ content: FileLook.Content, _ status: FileStatus?,
        of record: SyncRecord
    ) throws {
        var settled = record
        if let status, case .text(let text, _) = content, text.isSame(as: displaced.text) {
            settled = record.settled(displaced, SyncFolder.Signature(status))
        } else {
            settled.displaced.removeAll { $0.number == displaced.number }
        }
        try forgetExpired(settled)
        if settled.older.last?.number != displaced.number {
            try folder.disk.remove(state.swap(displaced.number))
        }
    }

    /// Forgets texts that no editor is expected to hold any more.
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
