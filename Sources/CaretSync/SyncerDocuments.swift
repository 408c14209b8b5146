import CaretClient
import CaretWire

// One file and its document: decides the next step and runs it, until nothing is left to do.
extension Syncer {
    /// The milliseconds to wait when the server cannot accept a push now, or when its events are late.
    static let retryPause = 1_000

    /// Runs all steps that are possible now. Returns the milliseconds until the next step, or nil if nothing
    /// is left to do.
    func resolve(_ path: WireString, _ document: WireString) async throws -> Int? {
        try putBack(path)
        var known: ObservedDocument?
        while true {
            try requireNews()
            // The next check ends the sync of this file.
            if try isIgnored(path) { return 0 }
            let hasPush = state.records[path]?.push != nil
            // A push that waits for a connection would be sent before the list of documents arrives.
            if hasPush, !server.isConnected { return Syncer.retryPause }
            if isUnproven(path), hasPush || isListedBelowHead(path, document) {
                guard try await prove(path, document) else { return Syncer.retryPause }
            }
            if let record = state.records[path], let push = record.push {
                if isOutdatedFirstPush(push, of: record, document) {
                    try forgetPush(record)
                    continue
                }
                guard let answer = try await send(push, record, path, document) else {
                    return Syncer.retryPause
                }
                known = answer
                continue
            }
            let (file, wait) = try readFile(path)
            guard let file else { return wait }
            let reported = news.documents[document].map {
                ObservedDocument.reported(epoch: $0.epoch, revision: $0.revision)
            }
            let step = try decision(path, file, known ?? reported ?? .reportedMissing).step()
            if step.usesRecord, isUnproven(path) {
                guard try await prove(path, document) else { return Syncer.retryPause }
                continue
            }
            switch step {
            case .nothingToDo where known.map { news.isNewer(than: $0, of: document) } == true: known = nil
            case .nothingToDo:
                reportedSkips[path] = nil
                return nil
            case .leaveAlone(let reason):
                // The folder may be empty, because its files were moved. Then it is removed.
                if reason == .folder, folder.disk.removeFolder(folder.path(path)) { continue }
                leaveAlone(path, reason)
                return nil
            case .wait(let milliseconds): return milliseconds
            case .readDocument:
                known = try await read(document)
                if known == nil { return Syncer.retryPause }
            case .storeRecord(let record): try await keep(record, file, path)
            case .send: continue
            case .deleteDocument, .renameDocument, .moveDocumentAside, .moveFileAside, .writeFile,
                .removeFile, .forgetRecord:
                if step.changesOtherFiles, try await becomeAlone() {
                    known = nil
                    continue
                }
                if !(try await act(step, path, document, file)) { return Syncer.retryPause }
                known = nil
            }
        }
    }

    /// Whether a document has changed since its text was merged with that of a file for the first time. It may
    /// now contain the same lines, and the server would double them.
    private func isOutdatedFirstPush(
        _ push: SyncRecord.Push, of record: SyncRecord, _ document: WireString
    ) -> Bool {
        guard record.former != nil, let epoch = push.epoch, news.lists(epoch, as: document) else {
            return false
        }
        return news.documents[document].map { $0.revision > push.base } ?? false
    }

    private func decision(
        _ path: WireString, _ file: ObservedFile, _ document: ObservedDocument
    ) throws -> SyncDecision {
        let record = state.records[path]
        var decision = SyncDecision(
            record: record, file: file, document: document, origin: try origin(of: path, file)?.string,
            path: path.string, nextSeq: server.nextPushNumber())
        if case .text = file.content, document == .missing || document == .reportedMissing {
            decision.hasNameConflict = hasNameConflict(path)
        }
        // The older texts are read only if the file was changed.
        if let record, case .text(let text, _) = file.content, !text.isSame(as: record.seen) {
            decision.older = try state.olderTexts(of: record, limit: folder.limit)
        }
        return decision
    }

    /// The current content of the file. If the file has just changed, the result is nil and the time to wait,
    /// because programs may save in several steps. The file is read only once, because a later change also
    /// changes the signature of the file.
    private func readFile(_ path: WireString) throws -> (ObservedFile?, wait: Int) {
        while true {
            observe(path, try folder.signature(path))
            guard let observation = observations[path] else { return (nil, 0) }
            let quiet = clock.steady() - observation.since
            if let content = observation.content {
                return (
                    ObservedFile(
                        content: content, quiet: quiet,
                        isUnchangedSinceStart: observation.isUnchangedSinceStart), 0
                )
            }
            if observation.signature != nil, quiet < SyncDecision.QuietTime.text {
                return (nil, SyncDecision.QuietTime.text - quiet)
            }
            let content = folder.content(at: path)
            guard try folder.signature(path) == observation.signature else { continue }
            // A missing file is checked again in each pass.
            if observation.signature != nil { observations[path]?.content = content }
            return (
                ObservedFile(
                    content: content, quiet: quiet, isUnchangedSinceStart: observation.isUnchangedSinceStart),
                0
            )
        }
    }

    private func keep(_ record: SyncRecord, _ file: ObservedFile, _ path: WireString) async throws {
        var record = record
        let old = state.records[path]
        if let old, !old.isSeenOwn, record.isSeenOwn, !record.seen.isSame(as: old.seen),
            record.displaced.last.map({ !$0.text.isSame(as: old.seen) }) ?? true
        {
            // A program replaced a text that the sync had written. A person who takes back this save will
            // save that text again.
            record.displaced.append(try keepSeen(of: old))
        }
        if let old, let epoch = old.head?.epoch, let head = record.head, !head.isOf(epoch),
            !old.seen.isSame(as: head.text)
        {
            // The old text is kept in the trash, because the history of the new document does not contain it.
            try state.keepInTrash(old.seen, usesCRLF: old.usesCRLF, of: record.path)
        }
        if let push = record.push, push.displaced == nil, case .text = file.content {
            // A power cut must not bring back the old text. The next sync would treat the old text as a new
            // save.
            let full = folder.path(path)
            try await keep(record, after: [full], [full.parentFolder])
        } else {
            try await keep(record)
        }
    }

    /// The missing file that was renamed to this new file, if any. Nil while the new file may still be
    /// renamed.
    private func origin(of path: WireString, _ file: ObservedFile) throws -> WireString? {
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
        _ step: SyncStep, _ path: WireString, _ document: WireString, _ file: ObservedFile
    ) async throws -> Bool {
        switch step {
        case .writeFile(let head, let usesCRLF):
            try await writeFile(head, usesCRLF, path, document, over: file)
        case .removeFile: try removeFile(path)
        case .deleteDocument:
            let before = news.documents[document]
            try await ask { try await server.delete(document) }
            // After the deletion, somebody may have created a new document with this name, and the event of
            // the new document may already have arrived. That document must not be removed.
            if let before { news.remove(document, epoch: WireString(before.epoch)) }
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
        case .forgetRecord: try state.forget(path)
        case .nothingToDo, .wait, .readDocument, .storeRecord, .send, .leaveAlone:
            preconditionFailure("this function cannot run the step \(step)")
        }
        return true
    }

    private func renameDocument(of path: WireString, to new: WireString) async throws -> Bool {
        guard let old = names.document(of: path) else { return false }
        let (position, newBefore) = (news.documents[old], news.documents[new])
        do {
            try await ask { try await server.rename(old, to: new) }
        } catch let refusal as ServerRefusal where refusal.code == .notFound || refusal.code == .exists {
            // Another client has renamed the document, or has created a document with the new name. The
            // server's events will show which of the two happened.
            return false
        }
        // The event of this rename may already have arrived. The event of a new document with the old name
        // may already have arrived too.
        if let position {
            news.recordRead(new, position, since: newBefore)
            news.remove(old, epoch: WireString(position.epoch))
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
        // This file may have blocked documents. The next check of its old path schedules them.
        schedule(new)
        report(.renamedHere(to: new.string), path)
        return true
    }

    /// Reads a document. Returns nil if the server did not find the document, but the server's events still
    /// list it. The caller must then wait for later events, because a wrong deletion could not be undone.
    private func read(_ document: WireString) async throws -> ObservedDocument? {
        let before = news.documents[document]
        do {
            let (head, usesCRLF) = try await ask(holding: before?.length) {
                try await server.read(document)
            }
            if let position = head.position { news.recordRead(document, position, since: before) }
            return .read(head, usesCRLF: usesCRLF)
        } catch let refusal as ServerRefusal where refusal.code == .notFound {
            return news.documents[document] == nil ? .missing : nil
        }
    }

    /// Sends the recorded push. Returns the document after the push, or nil if the caller must try again
    /// later.
    private func send(
        _ push: SyncRecord.Push, _ record: SyncRecord, _ path: WireString, _ document: WireString
    ) async throws -> ObservedDocument? {
        do {
            // A document that was renamed elsewhere still recognises a repeated push.
            let document = push.epoch.flatMap { news.name(of: $0, knownAs: document) } ?? document
            let before = news.documents[document]
            // The text of a first push was merged here. If the document has changed since, the server must not merge it
            // again, because both texts may have the same new lines.
            let ack = try await ask(holding: push.text.utf8.count) {
                try await server.push(
                    push, to: document, usesCRLF: record.usesCRLF, isExact: record.former != nil)
            }
            var known: ObservedDocument?
            var head = SyncRecord.Head(epoch: push.epoch, revision: ack.revision, text: push.text)
            // The events of the server show that nobody has deleted the new document yet.
            let newEpoch = ack.epoch.flatMap { news.lists($0, as: document) ? $0 : nil }
            if let epoch = push.epoch ?? newEpoch, let text = ack.text {
                head.epoch = epoch
                // Equal texts share their memory.
                if !text.isSame(as: push.text) { head.text = text }
                news.recordRead(
                    document, ServerDocuments.DocumentPosition(epoch: epoch, revision: ack.revision),
                    since: before)
                known = .read(head, usesCRLF: record.usesCRLF)
            } else {
                // If the server does not find the document, somebody deleted it after the push.
                known = try await read(document)
                if case .read(let now, _) = known {
                    head = now
                    if now.text.isSame(as: push.text) { head.text = push.text }
                }
            }
            try await keep(try record.acked(as: head).withOlderText(push, status: status(of: push.displaced)))
            if !ack.isUnchanged { report(.pushed(revision: ack.revision), path) }
            return names.document(of: path) == document ? known : nil
        } catch let refusal as ServerRefusal {
            return try await withdraw(push, record, refusal, document)
        }
    }

    private func status(of displaced: Int?) throws -> FileStatus? {
        try displaced.flatMap { try folder.disk.status(state.swapPath($0)) }
    }

    /// Drops a refused push, unless it can be sent again later. The refused text stays in the file.
    private func withdraw(
        _ push: SyncRecord.Push, _ record: SyncRecord, _ refusal: ServerRefusal, _ document: WireString
    ) async throws -> ObservedDocument? {
        switch refusal.code {
        // A push that creates a document gets `not_found` if the client may not read the document.
        case .notFound where push.epoch == nil:
            try forgetPush(record)
            throw refusal
        case .overloaded, .rateLimited, .shuttingDown, .pushInFlight, .tokenEnded: return nil
        // The document was renamed, and the events of the server will show its new name. A push that was
        // committed before must not be forgotten, or the saved text would be pushed twice.
        case .notFound where push.epoch.map { news.lists($0, as: document) } == true: return nil
        case .epochChanged, .baseTrimmed, .baseAhead, .baseBehind, .baseBeforeOwnPush, .notFound, .seqReused:
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
