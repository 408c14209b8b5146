package import CaretCore
package import CaretLog

/// A store in an SQL database. Both kinds of databases share this code: it decides what each call does, and on which
/// connection.
package protocol SQLStore: DocumentStore {
    /// The connection that reads.
    associatedtype Connection: SQLConnection
    associatedtype Writer: SQLWriter where Writer.Connection.Fault == Connection.Fault
    associatedtype Writes: UpkeepWrites

    typealias Reader = HistoryReader<Connection>
    typealias Fault = Connection.Fault

    var upkeep: Upkeep<Connection, Writes> { get }
    var due: DueDocuments { get }
    var openCalls: OpenCalls { get }

    /// The names of the backups. A redaction does not change them.
    var backupNames: [String] { get }

    // MARK: Connections

    /// Runs `body` in a transaction, and answers the call after the commit. `document` is the document that `body` changes,
    /// if it exists already.
    func write(
        _ waiting: WaitingCall, to document: DocumentID?,
        _ body: @escaping @Sendable (inout Writer) throws(Fault) -> StoreAnswer)

    /// Reads from one snapshot of the database, for calls that read at most a page of rows, or the newest text. If an
    /// earlier write to `document` has an unknown outcome, finds that outcome first. `isOpening` means that the call opens a
    /// document, and reports damage itself.
    func lookup(
        _ waiting: WaitingCall, of document: DocumentID?, isOpening: Bool,
        _ body: @escaping @Sendable (inout Reader) throws(Fault) -> StoreAnswer)

    /// Reads from one snapshot of the database, for calls that may read a whole text. `isHead` means that the call needs
    /// only the newest text. Opening a document needs it, so such calls do not wait for longer ones.
    func history(
        _ waiting: WaitingCall, of document: DocumentID, isHead: Bool,
        _ body: @escaping @Sendable (inout Reader) throws(Fault) -> StoreAnswer)

    /// Does the next step of a read of a history. Further steps run after the calls that wait meanwhile, so a long read does
    /// not delay short ones.
    func run(_ read: some SteppedRead, for waiting: WaitingCall)

    /// Reports that a document is damaged, and accepts no more appends to it. `document` is nil if not even its row could be
    /// read.
    func close(damaged document: DocumentID?, _ fault: Fault)

    /// A call has read a page of the history of this document.
    func note(_ row: DocumentRow)

    // MARK: Calls that each kind of store does in its own way

    func append(_ append: Append, _ waiting: WaitingCall)
    func appendLocked(_ append: Append, _ rebase: AppendRebase, _ waiting: WaitingCall)
    func renewEpochs(known: Revision, of document: DocumentID, _ waiting: WaitingCall)
    func entries(of documents: [DocumentID], _ waiting: WaitingCall)
}

extension SQLStore {
    package func lookup(
        _ waiting: WaitingCall, of document: DocumentID?,
        _ body: @escaping @Sendable (inout Reader) throws(Fault) -> StoreAnswer
    ) {
        lookup(waiting, of: document, isOpening: false, body)
    }

    package func run(_ call: StoreCall, then answer: @escaping @Sendable (StoreAnswer) -> Void) {
        let waiting = WaitingCall(call, then: answer)
        switch call {
        case .append(let append): self.append(append, waiting)
        case .appendLocked(let append, let rebase): appendLocked(append, rebase, waiting)
        case .create(let name, let history, let time): create(name, history, at: time, waiting)
        case .rename(let document, let name):
            write(waiting, to: document) { writer throws(Fault) in
                .renamed(try writer.rename(document, to: name))
            }
        case .delete(let document, let time):
            write(waiting, to: document) { writer throws(Fault) in
                try writer.delete(document, at: time)
                return .deleted(nil)
            }
        case .undelete(let document):
            write(waiting, to: document) { writer throws(Fault) in .undeleted(try writer.undelete(document)) }
        case .renewEpochs(let known, let document): renewEpochs(known: known, of: document, waiting)
        case .trim(let document, let revision):
            openCalls.run(waiting) { [upkeep] in .trimmed(await upkeep.trim(document, through: revision)) }
        case .redact(let document, let redaction):
            openCalls.run(waiting) { [self] in
                .redacted(await upkeep.redact(document, redaction).naming(backupNames))
            }
        case .find(let name):
            lookup(waiting, of: nil) { reader throws(Fault) in
                .found(.success(try reader.rows.document(named: name).entry))
            }
        case .open(let name, let pusher, let limit): open(name, by: pusher, pushers: limit, waiting)
        case .entries(let documents): entries(of: documents, waiting)
        case .list(let prefix, let after, let limit):
            lookup(waiting, of: nil) { reader throws(Fault) in
                .listed(.success(try reader.list(prefix: prefix, after: after, limit: limit)))
            }
        case .deleted(let prefix, let after, let limit):
            lookup(waiting, of: nil) { reader throws(Fault) in
                .listed(.success(try reader.deleted(prefix: prefix, after: after, limit: limit)))
            }
        case .pusher(let pusher, let document):
            lookup(waiting, of: document) { reader throws(Fault) in
                .pusher(.success(try reader.pusher(pusher, in: document)))
            }
        case .read(let document, let revision, let limit):
            history(waiting, of: document, isHead: false) { [self] reader throws(Fault) in
                let row = try reader.document(document)
                note(row)
                return .read(.success(try reader.slice(of: row, after: revision, limit: limit)))
            }
        case .text(let document, let revision?): run(TextReplay(document, at: revision), for: waiting)
        case .blame(let document, let query): run(BlameReplay(document, query), for: waiting)
        case .text(let document, nil): load(document, waiting) { .text(.success($0.head)) }
        case .load(let document): load(document, waiting) { .loaded(.success($0)) }
        case .tags(let tags): run(tags, waiting)
        case .notes(let notes): run(notes, waiting)
        case .tokens(let tokens): run(tokens, waiting)
        }
    }

    private func run(_ tokens: TokenCall, _ waiting: WaitingCall) {
        if case .addLink(let document, let name, _, _, _) = tokens {
            write(waiting, to: nil) { writer throws(Fault) in
                // A rename that comes later finds the link, and ends it.
                if try writer.document(document).entry.name != name { throw .gone }
                return .tokens(try TokenTable(writer.connection).answer(to: tokens))
            }
        } else if tokens.writes {
            write(waiting, to: nil) { writer throws(Fault) in
                .tokens(try TokenTable(writer.connection).answer(to: tokens))
            }
        } else {
            lookup(waiting, of: nil) { reader throws(Fault) in
                .tokens(try TokenTable(reader.rows.connection).answer(to: tokens))
            }
        }
    }

    private func open(_ name: DocumentName, by pusher: Pusher, pushers limit: Int, _ waiting: WaitingCall) {
        lookup(waiting, of: nil, isOpening: true) { [self] reader throws(Fault) in
            var document: DocumentID?
            do throws(Fault) {
                let row = try reader.rows.document(named: name)
                document = row.entry.id
                var loaded = try head(of: row, reader: &reader)
                loaded.pushers = try reader.rows.pushers(of: row.entry, atMost: limit)
                loaded.opener =
                    if let all = loaded.pushers {
                        all.first { $0.pusher == pusher }?.entry
                    } else {
                        try reader.pusher(pusher, of: row.entry)
                    }
                return .loaded(.success(loaded))
            } catch {
                if error.refusal == .damaged { close(damaged: document, error) }
                throw error
            }
        }
    }

    private func create(
        _ name: DocumentName, _ history: InitialHistory?, at time: Int64, _ waiting: WaitingCall
    ) {
        write(waiting, to: nil) { writer throws(Fault) in
            let created = try writer.create(name, history, at: time)
            if case .created(let entry) = created, let history {
                try writer.insert(history.tags, of: entry.id)
                try writer.insert(history.notes, of: entry.id)
            }
            return .created(created)
        }
    }

    private func load(
        _ document: DocumentID, _ waiting: WaitingCall,
        _ answer: @escaping @Sendable (LoadedDocument) -> StoreAnswer
    ) {
        history(waiting, of: document, isHead: true) { [self] reader throws(Fault) in
            answer(try head(of: reader.document(document), reader: &reader))
        }
    }

    private func head(of row: DocumentRow, reader: inout Reader) throws(Fault) -> LoadedDocument {
        // After a crash, upkeep may be due although nobody writes. Then each opening would take long.
        if UpkeepPolicy.isDue(row) { due.add([row.entry.id]) }
        return LoadedDocument(row.entry, try reader.text(of: row, at: row.entry.head).snapshot)
    }

    private func run(_ call: NoteCall, _ waiting: WaitingCall) {
        guard case .list(let document, let query) = call else {
            return write(waiting, to: call.document) { writer throws(Fault) in .notes(try writer.run(call)) }
        }
        // Moving places through many revisions may take as long as reading an old text.
        history(waiting, of: document, isHead: false) { [self] reader throws(Fault) in
            do throws(Fault) {
                return .notes(.listed(.success(try reader.notes(of: reader.document(document), query))))
            } catch {
                guard error.historyRefusal == .refused(.damaged) else { throw error }
                // Damaged notes are reported, and do not close the document.
                close(damaged: nil, error)
                return .notes(.listed(.failure(.damaged)))
            }
        }
    }

    private func run(_ call: TagCall, _ waiting: WaitingCall) {
        switch call {
        case .add(let tag, let document, let limit):
            write(waiting, to: document) { writer throws(Fault) in
                .tags(.added(try writer.addTag(tag, to: document, limit: limit)))
            }
        case .remove(let name, let document):
            write(waiting, to: document) { writer throws(Fault) in
                .tags(.removed(.success(try writer.removeTag(name, from: document))))
            }
        case .list(let document):
            lookup(waiting, of: document) { reader throws(Fault) in
                let entry = try reader.document(document).entry
                return .tags(.listed(.success(TaggedDocument(entry, try reader.rows.tags(of: entry.id)))))
            }
        case .copy(let copy):
            openCalls.run(waiting) { [self] in
                .tags(.copied(await copied(copy, while: { !openCalls.isClosing })))
            }
        }
    }
}

extension RedactResult {
    fileprivate func naming(_ backups: [String]) -> RedactResult {
        guard case .redacted(var report) = self else { return self }
        report.backups = backups
        return .redacted(report)
    }
}
