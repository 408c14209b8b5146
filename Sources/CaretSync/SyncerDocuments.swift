import CaretClient
import CaretWire

// One file and its document: decides the next step and runs it, until nothing is left to do.
extension Syncer {
    /// The milliseconds to wait when the server cannot accept a push now, or when its events are late.
    private static let retryPause = 1_000

    /// Runs all steps that are possible now. Returns the milliseconds until the next step, or nil if nothing
    /// is left to do.
    func resolve(_ path: WireString, _ document: WireString) async throws -> Int? {
        try putBack(path)
        var known: DocumentLook?
        while true {
            try expectNews()
            if let record = state.records[path], let push = record.push {
                guard let answer = try await send(push, record, path, document) else {
                    return Syncer.retryPause
                }
                known = answer
                continue
            }
            let (file, wait) = try readFile(path)
            guard let file else { return wait }
            let reported = news.documents[document].map {
                DocumentLook.reported(epoch: $0.epoch, revision: $0.revision)
            }
            let step = try decision(path, file, known ?? reported ?? .reportedMissing).step()
            switch step {
            case .rest where known.map { news.knowsMore(than: $0, of: document) } == true: known = nil
            case .rest: return nil
            case .leaveAlone(let reason):
                // The folder may be empty, because its files were moved.
                if reason == .folder, folder.disk.removeFolder(folder.path(path)) { continue }
                leaveAlone(path, reason)
                return nil
            case .wait(let milliseconds): return milliseconds
            case .ask:
                known = try await read(document)
                if known == nil { return Syncer.retryPause }
            case .keep(let record): try keep(record, file, path)
            case .send: continue
            case .place, .removeFile, .deleteDocument, .renameDocument, .moveDocumentAside,
                .moveFileAside, .forget:
                if !(try await act(step, path, document, file)) { return Syncer.retryPause }
                known = nil
                if step == .forget || step == .removeFile { return nil }
            }
        }
    }

    private func decision(
        _ path: WireString, _ file: FileLook, _ document: DocumentLook
    ) throws -> SyncDecision {
        let record = state.records[path]
        var decision = SyncDecision(
            record: record, file: file, document: document, origin: try origin(of: path, file)?.string,
            path: path.string, nextSeq: server.nextPushNumber())
        if case .text = file.content, document == .missing || document == .reportedMissing {
            decision.isCrossed = isCrossed(path)
        }
        // The older texts are read only if the file was changed.
        if let record, case .text(let text, _) = file.content, !text.isSame(as: record.seen) {
            decision.older = try state.olderTexts(of: record, limit: folder.limit)
        }
        return decision
    }

    /// The current content of the file. The result is nil, with the time to wait, until the file has been
    /// unchanged for a moment: programs may save in several steps. The file is read only once: a later change
    /// shows in its signature.
    private func readFile(_ path: WireString) throws -> (FileLook?, wait: Int) {
        while true {
            look(at: path, try folder.signature(path))
            guard let look = looks[path] else { return (nil, 0) }
            let quiet = clock.steady() - look.since
            if let content = look.content {
                return (FileLook(content: content, quiet: quiet, isFromBefore: look.isFromBefore), 0)
            }
            if look.signature != nil, quiet < SyncDecision.QuietTime.text {
                return (nil, SyncDecision.QuietTime.text - quiet)
            }
            let content = folder.content(at: path)
            guard try folder.signature(path) == look.signature else { continue }
            // A missing file is checked again in each pass.
            if look.signature != nil { looks[path]?.content = content }
            return (FileLook(content: content, quiet: quiet, isFromBefore: look.isFromBefore), 0)
        }
    }

    private func keep(_ record: SyncRecord, _ file: FileLook, _ path: WireString) throws {
        let old = state.records[path]
        if let old, let epoch = old.head?.epoch, let head = record.head, !head.isOf(epoch),
            !old.seen.isSame(as: head.text)
        {
            // The old text is kept in the trash, because the history of the new document does not contain it.
            try state.keepInTrash(old.seen, usesCRLF: old.usesCRLF, of: record.path)
        }
        if let push = record.push, push.displaced == nil, case .text = file.content {
            // A power cut must not bring back the old text. The next sync would treat the old text as a new
            // save.
            try folder.disk.sync(file: folder.path(path))
            try folder.disk.sync(folderOf: folder.path(path))
        }
        try state.keep(record)
    }

    /// The missing file that was renamed to this new file, if any. Nil while the new file may still be
    /// renamed.
    private func origin(of path: WireString, _ file: FileLook) throws -> WireString? {
        guard state.records[path] == nil, file.quiet >= SyncDecision.QuietTime.newFile,
            case .text(let text, _) = file.content
        else { return nil }
        let isRenamed = { (other: WireString) in
            guard let name = self.names.document(of: other), self.news.documents[name] != nil else {
                return false
            }
            return self.isGone(other)
        }
        return try SyncRenames.origin(of: text, among: missing, state.records, isGone: isRenamed) {
            record throws(FileFault) in
            try state.olderTexts(of: record, limit: folder.limit).map(\.text)
        }
    }

    func isGone(_ path: WireString) -> Bool {
        do throws(FileFault) {
            return try folder.signature(path) == nil
        } catch {
            // A file that cannot be examined does not count as gone.
            return false
        }
    }

    /// Runs a step. Returns false if the step is not possible yet, for example because the server's events
    /// are late. The caller tries again later.
    private func act(
        _ step: SyncStep, _ path: WireString, _ document: WireString, _ file: FileLook
    ) async throws -> Bool {
        switch step {
        case .place(let head, let usesCRLF): try await place(head, usesCRLF, path, document, over: file)
        case .removeFile: try removeFile(path)
        case .deleteDocument:
            let before = news.documents[document]
            try await server.delete(document)
            // Others may have created a new document with this name since, and its event may have come
            // already.
            if let before { news.end(document, epoch: WireString(before.epoch)) }
            try state.forget(path)
            report(.deletedHere, path)
        case .renameDocument(let origin):
            let origin = WireString(origin)
            guard try await renameDocument(of: origin, to: document) else { return false }
            try state.move(origin, to: path)
            report(.renamedHere(to: path.string), origin)
        case .moveDocumentAside:
            var obstacle: WireString?
            if case .blocked(let file) = file.content { obstacle = WireString(file) }
            guard let new = try freePath(for: path, behind: obstacle), let name = names.document(of: new)
            else {
                return false
            }
            guard try await renameDocument(of: path, to: name) else { return false }
            try state.forget(path)
            report(.renamedHere(to: new.string), path)
        case .moveFileAside: return try moveFileAside(path)
        case .forget: try state.forget(path)
        case .rest, .wait, .ask, .keep, .send, .leaveAlone:
            preconditionFailure("\(step) is not run here")
        }
        return true
    }

    private func renameDocument(of path: WireString, to new: WireString) async throws -> Bool {
        guard let old = names.document(of: path) else { return false }
        let (stand, newBefore) = (news.documents[old], news.documents[new])
        do {
            try await server.rename(old, to: new)
        } catch let refusal as ServerRefusal where refusal.code == .notFound || refusal.code == .exists {
            // Another client has renamed the document, or has created a document with the new name. The
            // server's events will show which.
            return false
        }
        // The event of the rename may have come already. So may the event of a new document with the old
        // name.
        if let stand {
            news.found(new, stand, since: newBefore)
            news.end(old, epoch: WireString(stand.epoch))
        }
        return true
    }

    private func moveFileAside(_ path: WireString) throws -> Bool {
        guard let new = try freePath(for: path, behind: documentInTheWay(of: path)) else { return false }
        if state.records[path] == nil {
            try folder.move(path, to: new)
        } else if try !moveByStateFolder(path, to: new) {
            return false
        }
        visit(new)
        visitBlocked()
        report(.renamedHere(to: new.string), path)
        return true
    }

    /// Reads a document. Returns nil if the server did not find the document, but its events list it. The
    /// events are late then, and a deletion could not be undone.
    private func read(_ document: WireString) async throws -> DocumentLook? {
        let before = news.documents[document]
        do {
            let (head, usesCRLF) = try await server.read(document)
            if let stand = head.stand { news.found(document, stand, since: before) }
            return .read(head, usesCRLF: usesCRLF)
        } catch let refusal as ServerRefusal where refusal.code == .notFound {
            return news.documents[document] == nil ? .missing : nil
        }
    }

    /// Sends the recorded push. Returns the document after the push, or nil if the caller must try again
    /// later.
    private func send(
        _ push: SyncRecord.Push, _ record: SyncRecord, _ path: WireString, _ document: WireString
    ) async throws -> DocumentLook? {
        do {
            let before = news.documents[document]
            let ack = try await server.push(push, to: document, usesCRLF: record.usesCRLF)
            var known: DocumentLook?
            var head = SyncRecord.Head(epoch: push.epoch, revision: ack.revision, text: push.text)
            if let epoch = push.epoch, let text = ack.text {
                head.text = text
                news.found(
                    document, ServerDocuments.DocumentPosition(epoch: epoch, revision: ack.revision),
                    since: before)
                known = .read(head, usesCRLF: record.usesCRLF)
            } else {
                // If the document is missing now, it was deleted after the push.
                known = try await read(document)
                if case .read(let now, _) = known { head = now }
            }
            try state.keep(try record.acked(as: head).withOlderText(push, status: status(of: push.displaced)))
            if !ack.isUnchanged { report(.pushed(revision: ack.revision), path) }
            return known
        } catch let refusal as ServerRefusal {
            return try await withdraw(push, record, refusal, document)
        }
    }

    private func status(of displaced: Int?) throws -> FileStatus? {
        try displaced.flatMap { try folder.disk.status(state.swap($0)) }
    }

    /// Drops a refused push, unless it can be sent again later. The refused text stays in the file.
    private func withdraw(
        _ push: SyncRecord.Push, _ record: SyncRecord, _ refusal: ServerRefusal, _ document: WireString
    ) async throws -> DocumentLook? {
        switch refusal.code {
        // A push that creates a document gets `not_found` if the client may not read the document.
        case .notFound where push.epoch == nil:
            try forgetPush(record)
            throw refusal
        case .overloaded, .rateLimited, .shuttingDown, .pushInFlight: return nil
        case .epochChanged, .baseTrimmed, .baseAhead, .baseBeforeOwnPush, .notFound, .seqReused:
            try forgetPush(record)
            return try await read(document)
        case .badJSON, .badMessage, .unknownType, .lineTooLong, .helloRequired, .helloTimeout,
            .unsupportedProtocol, .unauthorized, .alreadyHello, .notOpen, .alreadyOpen, .badName, .exists,
            .forbidden, .badRange, .badText, .badEdits, .tooLarge, .storageFull, .storageFailed, .damaged,
            .internal, nil:
            try forgetPush(record)
            throw refusal
        }
    }

    private func forgetPush(_ record: SyncRecord) throws {
        if let before = record.withdrawn {
            try state.keep(before)
        } else {
            try state.forget(WireString(record.path))
        }
    }
}
