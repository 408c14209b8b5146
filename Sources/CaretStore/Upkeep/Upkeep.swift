import CaretCore
import CaretLog

/// What a store does by itself, a small step at a time: each is read and made ready beside the writer, and takes the
/// writer only to be put in place.
struct Upkeep: Sendable {
    let writes: WriteQueue
    let reader: QueueConfined<UpkeepReader>
    let settings: StoreSettings
    let calls: OpenCalls
    let lastRound = LastRound()
    let tell: @Sendable (StoreEvent) -> Void

    /// Tends the documents that become due, until there will be no more.
    func run(_ due: DueDocuments) async {
        for await _ in due.signals {
            await tend(due.taken())
            try? await Task.sleep(for: UpkeepPolicy.pause)  // It fails only where the store is being closed.
        }
    }

    /// Tends documents that are being written to. A step for each of several is put in place together: what was
    /// appended at one time stands on the same pages, which are so written once.
    private func tend(_ documents: [DocumentID]) async {
        var rest = documents[...]
        while !rest.isEmpty, !calls.isClosing {
            var (found, weight): ([(document: DocumentID, due: DueStep)], Int) = ([], 0)
            while weight < UpkeepPolicy.doneAtOnce, let document = rest.popFirst() {
                guard let due = await due(for: document, isIdle: false, isNew: true) else { continue }
                found.append((document, due))
                weight += due.step.weight
            }
            let taken = await took(found.map { ($0.document, $0.due.step) })
            for (one, isTaken) in zip(found, taken) {
                guard let isTaken, !isTaken || !one.due.isLast else { continue }
                await tend(one.document, isIdle: false, isNew: false)
            }
        }
    }

    /// Makes a round now and then, until its task is cancelled.
    func runRounds() async {
        guard let pause = settings.roundEvery else { return }
        while (try? await Task.sleep(for: pause)) != nil {
            calls.began()
            await round(at: settings.now())
            calls.ended()
        }
    }

    /// Does whatever is due for a document's history. What is refused is left for another time.
    func tend(_ document: DocumentID, isIdle: Bool, isNew: Bool = true) async {
        var isNew = isNew
        while !calls.isClosing, let due = await due(for: document, isIdle: isIdle, isNew: isNew) {
            // Where its ground has changed meanwhile, it is thought out anew.
            guard let isTaken = await took([(document, due.step)])[0], !isTaken || !due.isLast else { return }
            isNew = false
        }
    }

    /// What is due for a document; nil where nothing is, or it cannot be read.
    private func due(for document: DocumentID, isIdle: Bool, isNew: Bool) async -> DueStep? {
        switch await reader.done({ $0.next(for: document, isIdle: isIdle, isNew: isNew) }) {
        case .failure(let fault):
            if case .refused(.damaged) = fault.historyRefusal { tell(.damaged(document)) }
            return nil
        case .success(let due): return due
        }
    }

    /// Takes steps in one transaction, and answers for each whether it was taken: not where its ground has changed
    /// meanwhile; nil where it was refused.
    private func took(_ steps: [(document: DocumentID, step: UpkeepStep)]) async -> [Bool?] {
        let tell = tell
        let bodies = steps.map { document, step in
            { @Sendable (writer: inout HistoryWriter) throws(StoreFault) -> Bool in
                switch step {
                case .merge(let replacement):
                    tell(.merging(document, segments: replacement.old.count))
                    let isDone = try writer.replace(replacement)
                    if isDone { tell(.merged(document)) }
                    return isDone
                case .snapshot(let snapshot, let superseded, let covered):
                    tell(.snapshotting(document, snapshot.revision))
                    try writer.keep(snapshot, superseding: superseded, covering: covered)
                case .removeTrimmed: try writer.removeTrimmed(of: document)
                case .correctLoose(let excess): try writer.correctLoose(of: document, by: excess)
                }
                return true
            }
        }
        // Whoever tends a document next finds again what was refused.
        return await writes.done(bodies).map { try? $0.get() }
    }

    /// Forgets the revisions through this one, and answers where history begins now.
    func trim(_ document: DocumentID, through revision: Revision) async -> Trimming {
        // Without end only as long as merges are faster each time.
        while true {
            let found = await reader.done { $0.trimming(of: document, through: revision) }
            let plan: TrimPlan
            switch found {
            case .failure(let fault): return .refused(fault.historyRefusal)
            case .success(nil): return .trimmed(start: revision)
            case .success(let found?): plan = found
            }
            let result = await writes.done { writer throws(StoreFault) in try writer.trim(plan) }
            switch result {
            case .failure(let refusal): return .refused(refusal)
            case .success(true):
                tell(.trimmed(document, start: revision))
                return .trimmed(start: revision)
            // A merge was faster: what was to be cut is another segment now.
            case .success(false): continue
            }
        }
    }

    // MARK: The round

    /// Goes once through all documents: removes what was deleted long ago, forgets what need not be kept, merges what
    /// rests, and gives space back.
    func round(at time: Int64) async {
        // Where a document was not seen, nobody can say that it has rested since.
        if await visitAll(at: time), !calls.isClosing { lastRound.set(time) }
        await giveSpaceBack()
    }

    /// Visits the documents by their identities; whether the list of them could be read to its end.
    private func visitAll(at time: Int64) async -> Bool {
        var last = DocumentID(0)
        while !calls.isClosing {
            let after = last
            switch await reader.done({ $0.documents(after: after, limit: 256) }) {
            case .success(let rows):
                guard let end = rows.last else { return true }
                for row in rows where !calls.isClosing { await visit(row, at: time) }
                last = end.id
            case .failure(let fault):
                guard case .refused(.damaged) = fault.historyRefusal else { return false }
                tell(.damaged(nil))
                await visitEach(after: last, at: time)
                return false
            }
        }
        return false
    }

    /// Tries every identity that was ever given, where the table cannot be read from one to the next.
    private func visitEach(after last: DocumentID, at time: Int64) async {
        guard case .success(let most) = await reader.done({ $0.lastDocument() }) else { return }
        for value in last.value..<max(last.value, most.value) where !calls.isClosing {
            let found = await reader.done { $0.visited(DocumentID(value + 1)) }
            // What cannot be read was told of already, with all that stands there.
            if case .success(let row?) = found { await visit(row, at: time) }
        }
    }

    private func visit(_ row: UpkeepReader.Visited, at time: Int64) async {
        guard let document = row.document else { return tell(.damaged(row.id)) }
        if let deleted = document.entry.deleted {
            if deleted <= time.less(settings.keepDeleted) { await purge(row.id, at: time) }
            return
        }
        await forgetPushers(of: row.id, before: time.less(settings.keepPushers))
        if let through = await reader.done({ [settings] in $0.trimDue(document, settings, at: time) }) {
            _ = await trim(row.id, through: through)
        }
        let isIdle = document.entry.updated <= time.less(UpkeepPolicy.idle)
        // One that rested when the round before came has rested since.
        if isIdle, let last = lastRound.time, document.entry.updated <= last.less(UpkeepPolicy.idle),
            !UpkeepPolicy.isDue(document)
        {
            return
        }
        await tend(row.id, isIdle: isIdle)
    }

    private func purge(_ document: DocumentID, at time: Int64) async {
        let limit = time.less(settings.keepDeleted)
        while !calls.isClosing {
            let result = await writes.done { writer throws(StoreFault) in
                try writer.purge(document, deletedBy: limit)
            }
            switch result {
            case .success(.begun): continue
            case .success(.done): return tell(.purged(document))
            case .success(.kept), .failure: return
            }
        }
    }

    private func forgetPushers(of document: DocumentID, before time: Int64) async {
        while !calls.isClosing {
            let found = await reader.done { $0.pushers(of: document, usedBefore: time) }
            guard case .success(let authors) = found, !authors.isEmpty else { return }
            let result = await writes.done { writer throws(StoreFault) in
                try writer.forget(authors, of: document, usedBefore: time)
            }
            guard case .success = result else { return }
            tell(.forgot(document, pushers: authors.count))
        }
    }

    /// Gives free pages back to the file system, once they are more than a thirty-second of the file.
    private func giveSpaceBack() async {
        guard let space = await reader.done({ $0.space() }), space.free > space.pages / 32 else { return }
        for _ in 0..<(space.free / UpkeepPolicy.pagesAtOnce + 1) where !calls.isClosing {
            let result = await writes.done { writer throws(StoreFault) in
                try writer.giveBack(pages: UpkeepPolicy.pagesAtOnce)
            }
            guard case .success = result else { return }
        }
    }
}
