import CaretClient
import CaretCore
import CaretWire

// One file and its document: what is decided is done, until there is nothing more to do.
extension Syncer {
    /// Does all there is to do for a file now; answers with when there is more.
    func settle(_ path: WireString, _ document: WireString) async throws -> Int? {
        try putBack(path)
        var known: DocumentLook?
        while true {
            try expectNews()
            let stand = news.documents[document]
            let signature = try folder.signature(path)
            look(at: path, signature, Milliseconds.steady)
            let file = file(path)
            let told = stand.map { DocumentLook.told(epoch: $0.epoch, revision: $0.revision) }
            let decision = SyncDecision(
                record: state.records[path], file: file, document: known ?? told ?? .toldMissing,
                origin: origin(of: path, file)?.string, path: path.string, nextSeq: client.nextPushNumber())
            let step = try decision.step()
            switch step {
            case .rest where known.map { news.tellMore(than: $0, of: document) } == true: known = nil
            case .rest, .leaveAlone:
                if case .leaveAlone(let reason) = step { leaveAlone(path, reason) }
                resting[path] = Resting(signature: signature, stand: news.documents[document])
                return nil
            case .wait(let milliseconds): return milliseconds
            case .ask:
                known = try await read(document)
                if known == nil { return 1_000 }
            case .keep(let record): try state.keep(record)
            case .send(let push):
                known = try await send(push, path, document)
                if known == nil { return 1_000 }
            case .place, .removeFile, .deleteDocument, .renameDocument, .forget:
                try await act(step, path, document, file)
                known = nil
                if step == .forget || step == .removeFile { return nil }
            }
        }
    }

    private func file(_ path: WireString) -> FileLook {
        let since = looks[path]?.since ?? Milliseconds.steady
        return FileLook(
            content: folder.content(at: path), quiet: Milliseconds.steady - since)
    }

    private func origin(of path: WireString, _ file: FileLook) -> WireString? {
        guard state.records[path] == nil, case .text(let text, _) = file.content else { return nil }
        return SyncRenames.origin(of: text, among: state.records) { other in
            guard let name = names.document(of: other), news.documents[name] != nil else { return false }
            return folder.content(at: other) == .missing
        }
    }

    private func act(
        _ step: SyncStep, _ path: WireString, _ document: WireString, _ file: FileLook
    ) async throws {
        switch step {
        case .place(let head, let usesCRLF): try await place(head, usesCRLF, path, document, over: file)
        case .removeFile: try removeFile(path)
        case .deleteDocument:
            try await client.delete(document.string)
            news.set(document, nil)
            try state.forget(path)
            report(.deletedHere, path)
        case .renameDocument(let origin):
            let origin = WireString(origin)
            guard let old = names.document(of: origin) else { return }
            try await client.rename(old.string, to: document.string)
            news.set(document, news.documents[old])
            news.set(old, nil)
            try state.move(origin, to: path)
            report(.renamedHere(to: path.string), origin)
        case .forget: try state.forget(path)
        case .rest, .wait, .ask, .keep, .send, .leaveAlone:
            preconditionFailure("\(step) is no act")
        }
    }

    /// Nil where it was not found but is told to be there: the news are behind, and what is done about a document that is
    /// gone cannot be undone.
    private func read(_ document: WireString) async throws -> DocumentLook? {
        let before = news.documents[document]
        do {
            let version = try await client.read(document.string)
            let head = SyncRecord.Head(
                epoch: version.epoch, revision: version.revision.value, text: version.text)
            let stand = SyncNews.Stand(epoch: head.epoch, revision: head.revision)
            news.found(document, stand, since: before)
            return .read(head, usesCRLF: version.usesCRLF)
        } catch let refusal as ServerRefusal where refusal.code == .notFound {
            return news.documents[document] == nil ? .missing : nil
        }
    }

    /// Pushes what is recorded. Answers with the document as it is then, or nil where it is to be tried again later.
    private func send(
        _ push: SyncRecord.Push, _ path: WireString, _ document: WireString
    ) async throws -> DocumentLook? {
        guard let record = state.records[path] else { return nil }
        do {
            let answer = try await client.ask(.push(push.message(to: document, record.usesCRLF)))
            guard case .ack(let ack) = answer else { return nil }
            // What is not there any more was deleted behind the push.
            var head = SyncRecord.Head(
                epoch: push.epoch ?? "", revision: ack.revision.value, text: push.text)
            let known = try await read(document)
            if case .read(let now, _) = known { head = now }
            try state.keep(record.acked(as: head))
            if let number = push.displaced { try SystemFile.remove(state.swap(number)) }
            if !ack.unchanged { report(.pushed(revision: ack.revision.value), path) }
            return known
        } catch let refusal as ServerRefusal {
            return try await withdraw(push, record, refusal, document)
        }
    }

    /// What was refused is still in the file, and nowhere else.
    private func withdraw(
        _ push: SyncRecord.Push, _ record: SyncRecord, _ refusal: ServerRefusal, _ document: WireString
    ) async throws -> DocumentLook? {
        switch refusal.code {
        // One that is made with the push is not found by those who may not read it.
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

extension SyncRecord.Push {
    fileprivate func message(to document: WireString, _ usesCRLF: Bool) -> CaretWire.Push {
        CaretWire.Push(
            document: document, epoch: epoch.map { WireString($0) }, base: Revision(base),
            seq: seq,
            content: .text(WireString(String(decoding: text.fileBytes(usesCRLF: usesCRLF), as: UTF8.self))),
            wantsText: false, create: epoch == nil)
    }
}
