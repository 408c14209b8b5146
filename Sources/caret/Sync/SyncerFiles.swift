import CaretClient
import CaretCore
import CaretWire
import Glibc

// Files that are put in place, moved and removed.
extension Syncer {
    func place(
        _ head: SyncRecord.Head, _ usesCRLF: Bool, _ path: WireString, _ document: WireString,
        over file: FileLook
    ) async throws {
        let known = state.records[path]
        let record = known ?? SyncRecord(path: path.string, seen: "", head: head, usesCRLF: usesCRLF)
        let users = await users(of: document, since: known?.shown ?? 0, head)
        let number = state.nextNumber()
        let new = state.swap(number)
        let isThere = file.content != .missing
        let inode = try SystemFile.make(
            new, head.text.fileBytes(usesCRLF: usesCRLF), mode: try folder.mode(path))
        try chmod(new, as: path)
        try state.keep(
            record.placing(number: number, inode: inode, replacing: isThere, at: Milliseconds.wall))
        let placed = Result { () throws(FileFault) in
            // Somebody may have saved it since it was read.
            if folder.content(at: path) != file.content {
                throw FileFault("replace it", path.string, EBUSY)
            }
            try folder.makeFolders(for: path)
            if isThere { try folder.exchange(new, with: path) } else { try folder.place(new, at: path) }
        }
        try conclude(placed, path, number, record)
        if case .success = placed { report(.written(revision: head.revision, by: users), path) }
    }

    private func chmod(_ new: String, as path: WireString) throws(FileFault) {
        // What the mask of the process has taken from a file that is there is given back.
        guard let status = try SystemFile.status(folder.path(path)) else { return }
        if Glibc.chmod(new, status.st_mode & 0o7777) != 0 { throw FileFault("give it its mode", new) }
    }

    /// Records whether a file is in place.
    private func conclude(
        _ placed: Result<Void, FileFault>, _ path: WireString, _ number: Int, _ before: SyncRecord
    ) throws {
        let isPlaced = if case .success = placed { true } else { false }
        if let record = state.records[path]?.placed(isInPlace: isPlaced) {
            try state.keep(record)
        } else {
            try state.forget(path)
        }
        guard case .failure(let fault) = placed else { return }
        try SystemFile.remove(state.swap(number))
        if fault.code != EBUSY, fault.code != EEXIST { throw fault }
    }

    /// The users who have changed a document since, as far as that can be told.
    private func users(of document: WireString, since: Int, _ head: SyncRecord.Head) async -> [String] {
        let window = HistoryWindow(
            after: Revision(max(since, head.revision - HistoryWindow.most)), through: Revision(head.revision))
        // Who it was is only told, and never worth a failure.
        let entries = (try? await client.history(of: document.string, in: window)) ?? []
        return Set(entries.filter { $0.client != user }.map(\.user)).sorted()
    }

    func removeFile(_ path: WireString) throws {
        guard var record = state.records[path] else { return }
        let number = state.nextNumber()
        let aside = state.swap(number)
        record.removing = number
        try state.keep(record)
        if rename(folder.path(path), aside) != 0 { throw FileFault("remove it", folder.path(path)) }
        if case .text(let text, _) = folder.content(aside), text.isSame(as: record.seen) {
            try state.forget(path)
            try SystemFile.remove(aside)
            folder.removeEmptyFolders(above: path)
            report(.deletedElsewhere, path)
        } else {
            // It was saved in that moment.
            try putBack(path)
        }
    }

    /// Undoes a removal that did not come to its end: what there is to be done is decided anew.
    func putBack(_ path: WireString) throws {
        guard var record = state.records[path], let number = record.removing else { return }
        record.removing = nil
        do throws(FileFault) {
            if try SystemFile.status(state.swap(number)) != nil {
                try folder.makeFolders(for: path)
                try folder.place(state.swap(number), at: path)
            }
        } catch {
            if error.code != EEXIST { throw error }
            // Somebody has saved another one meanwhile, and this one is as every other that gave way.
            record.displaced.append(
                SyncRecord.Displaced(number: number, text: record.seen, at: Milliseconds.wall))
        }
        try state.keep(record)
    }

    /// Follows documents that were renamed elsewhere.
    func renameFiles() {
        for rename in SyncRenames.elsewhere(state.records, news.documents, names) {
            let signature = looks[rename.path]?.signature
            if isHeld(rename.path, signature) { continue }
            do {
                try follow(rename)
            } catch {
                let fault = (error as? FileFault)?.description ?? "\(error)"
                hold(rename.path, signature, .heldBack(fault))
            }
        }
    }

    private func follow(_ rename: SyncRenames.Rename) throws {
        let ways = [rename.path, rename.new]
        if try ways.contains(where: { try folder.obstacle(to: $0) != nil }) { return }
        let (old, new) = (try folder.signature(rename.path), try folder.signature(rename.new))
        if old != nil, new == nil {
            try folder.move(rename.path, to: rename.new)
        } else if old != nil {
            return
        }
        try state.move(rename.path, to: rename.new)
        report(.renamedElsewhere(to: rename.new.string), rename.path)
    }

    /// Looks at the files that gave way to others.
    func settleDisplaced(_ path: WireString) throws -> Int? {
        var wait: Int?
        for displaced in state.records[path]?.displaced ?? [] {
            guard let record = state.records[path], record.push == nil else { return 0 }
            let full = state.swap(displaced.number)
            let changed = try SystemFile.status(full).map { Milliseconds.of($0.st_ctim) } ?? 0
            let look = FileLook(
                content: folder.content(full), quiet: max(0, Milliseconds.wall - changed))
            let step = try SyncDecision.step(
                for: displaced, look, of: record, nextSeq: client.nextPushNumber(), now: Milliseconds.wall)
            switch step {
            case .wait(let milliseconds): wait = min(wait ?? milliseconds, milliseconds)
            case .keep(let record):
                try state.keep(record)
                return 0
            case .drop:
                var record = record
                record.displaced.removeAll { $0.number == displaced.number }
                try state.keep(record)
                try SystemFile.remove(full)
            }
        }
        return wait
    }
}
