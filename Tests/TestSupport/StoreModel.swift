package import CaretCore
package import CaretLog

/// A simple model of a store, as a value that fulfils the contract of stores.
///
/// Tests of other targets use it as a store. Tests of stores compare each store with it.
package struct StoreModel: Sendable {
    private struct Document {
        var name: DocumentName
        var epoch: Epoch
        /// The text at the oldest kept revision, and the changes after it.
        var start: Snapshot
        var changes: [LoggedChange] = []
        var head: Snapshot
        var pushers: [Pusher: PusherEntry] = [:]
        var updated: Int64
        var lineBreak = LineBreak.lf
        /// When it was deleted.
        var deleted: Int64?
        var isDamaged = false
        var tags: [Tag] = []
        var notebook = Notebook()
        /// The notes, at their places in the newest text.
        var notes: [Note] = []

        func entry(_ id: DocumentID) -> DocumentEntry {
            DocumentEntry(
                id: id, name: name, epoch: epoch, head: head.revision, start: start.revision,
                length: head.text.length, updated: updated, lineBreak: lineBreak, deleted: deleted)
        }

        func isBehind(_ place: NotePlace?) -> Bool {
            place.map { head.revision.value - $0.revision.value > NotePlace.mostBehind } ?? false
        }

        /// A note at its place in the newest text.
        func atHead(_ note: Note) -> Note {
            var moved = [note]
            let from = note.content.place?.revision ?? head.revision
            move(&moved, through: changes.dropFirst(from.value - start.revision.value), after: from)
            return moved[0]
        }

        private func move(
            _ notes: inout [Note], through changes: some Sequence<LoggedChange>, after: Revision
        ) {
            do { try notes.move(through: changes, after: after) } catch {
                preconditionFailure("the model has a change that does not fit: \(error)")
            }
        }

        func renewed(generation: UInt64) -> Document {
            var renewed = self
            renewed.epoch = Epoch(generation: generation, document: epoch.document)
            return renewed
        }

        /// The document without a passage, and what has changed.
        func redacted(_ redaction: Redaction, epoch: Epoch) throws -> (
            document: Document, report: RedactionReport
        ) {
            var search = PassageSearch(redaction.passage, in: start)
            for change in changes { try search.add(change) }
            var (origins, authors) = (PassageOrigins(search), PassageAuthors())
            let revisions = changes.indices.map { Revision(start.revision.value + 1 + $0) }
            for (change, revision) in zip(changes, revisions).reversed() { origins.add(change, at: revision) }
            for (change, revision) in zip(changes, revisions) where origins.inserted[revision] != nil {
                authors.add(change, at: revision)
            }
            var new = self
            let letters = origins.letters(atStart: start.revision)
            var history = try RedactedHistory(redaction.passage, origins, start, letters)
            new.start = history.head
            new.changes = try changes.map { try history.next($0) }
            new.head = history.head
            new.epoch = epoch
            let notes = self.notes.count { $0.content.redacted(redaction.passage) != nil }
            let isChanged = !redaction.isDryRun && (search.revisions > 0 || notes > 0)
            for index in new.notes.indices {
                guard let content = new.notes[index].content.redacted(redaction.passage) else { continue }
                new.notes[index].content = content
                new.notes[index] = new.notebook.rewritten(new.notes[index])
            }
            var report = RedactionReport(
                search, notes: notes, authors: authors.authors, changed: authors.changes,
                epoch: isChanged ? epoch : self.epoch)
            report.isErased = isChanged
            return (new, report)
        }

        mutating func apply(_ append: Append, _ text: TextBuffer) {
            for (index, pushed) in append.changes.enumerated() {
                let (change, revision) = (pushed.logged, Revision(append.expected.value + index + 1))
                pushers[change.pusher] = PusherEntry(
                    seq: change.seq, revision: revision, digest: pushed.digest, used: change.time)
                updated = change.time
                changes.append(change)
                move(&notes, through: CollectionOfOne(change), after: Revision(revision.value - 1))
            }
            head = Snapshot(revision: Revision(append.expected.value + append.changes.count), text: text)
            if let lineBreak = append.lineBreak { self.lineBreak = lineBreak }
        }
    }

    /// A fault of the disk, for tests.
    package enum Trouble: Sendable {
        case full
        case failed
        case away
    }

    package var trouble: Trouble?
    private var generation: UInt64
    /// Whether the epochs were renewed since the store was opened.
    private var isFresh = false
    private var documents: [DocumentID: Document] = [:]
    /// The documents that are not deleted.
    private var names: [DocumentName: DocumentID] = [:]
    private var lastID: Int64 = 0
    private var tokens: [TokenID: (text: TokenText, token: Token)] = [:]
    private var damagedTokens: Set<TokenID> = []
    private var lastUses: [TokenID: Int64] = [:]
    private var signOuts: [(number: Int64, signOut: SignOut)] = []
    private var lastSignOut: Int64 = 0
    private var lastToken: Int64 = 0

    package init(generation: UInt64) { self.generation = generation }

    /// Makes a document damaged from now on.
    package mutating func damage(_ id: DocumentID) { documents[id]?.isDamaged = true }
    /// Makes all documents undamaged again.
    package mutating func repair() { for id in documents.keys { documents[id]?.isDamaged = false } }

    // MARK: Appending

    package mutating func append(_ append: Append) -> AppendOutcome {
        switch trouble {
        case .full: return .diskFull
        case .failed: return .diskFailed
        case .away: return .away
        case nil: break
        }
        guard let document = documents[append.document], document.deleted == nil,
            document.epoch == append.epoch
        else {
            return .documentGone
        }
        if document.isDamaged { return .documentDamaged }
        if document.head.revision != append.expected { return .conflict(head: document.head.revision) }
        guard let entry = try? entry(of: append.document).get(), entry.length(after: append.changes) != nil,
            let text = document.head.text.applying(append.changes.map(\.logged))
        else { return .invalidChange }
        documents[append.document]?.apply(append, text)
        return .committed(head: Revision(append.expected.value + append.changes.count))
    }

    package mutating func appendLocked(
        _ append: Append, rebase: ([LoggedChange]) -> [PushedChange]
    ) -> (missed: [LoggedChange], outcome: AppendOutcome) {
        guard let document = documents[append.document], document.deleted == nil,
            document.epoch == append.epoch
        else { return ([], .documentGone) }
        let kept = append.expected.value - document.start.revision.value
        guard kept >= 0, kept <= document.changes.count else {
            return ([], .conflict(head: document.head.revision))
        }
        let missed = Array(document.changes[kept...])
        let rebased = Append(
            document: append.document, epoch: append.epoch, expected: document.head.revision,
            changes: rebase(missed), lineBreak: append.lineBreak)
        return (missed, self.append(rebased))
    }

    // MARK: Documents

    package mutating func create(
        _ name: DocumentName, _ history: InitialHistory? = nil, at time: Int64
    ) -> CreateResult {
        if let id = names[name] {
            switch entry(of: id) {
            case .success(let entry): return .exists(entry)
            case .failure(let refusal): return .refused(refusal)
            }
        }
        if let refusal { return .refused(refusal) }
        lastID += 1
        let id = DocumentID(lastID)
        let empty = Snapshot(revision: 0, text: TextBuffer())
        var document = Document(
            name: name, epoch: Epoch(generation: generation, document: UInt64(lastID)), start: empty,
            head: empty, updated: time)
        if let history {
            let entry = document.entry(id)
            guard entry.length(after: history.changes) != nil,
                let text = empty.text.applying(history.changes.map(\.logged))
            else { return .invalidChange }
            document.apply(history.append(to: entry), text)
            document.tags = history.tags
            (document.notes, document.notebook) = (history.notes.notes, history.notes.notebook)
        }
        documents[id] = document
        names[name] = id
        return entry(of: id).map(CreateResult.created).merged { .refused($0) }
    }

    package func find(_ name: DocumentName) -> Result<DocumentEntry, StoreRefusal> {
        names[name].map { entry(of: $0) } ?? .failure(.gone)
    }

    package func entry(of id: DocumentID) -> Result<DocumentEntry, StoreRefusal> {
        live(id).map { $0.entry(id) }
    }

    package func list(prefix: ByteString, after: ByteString?, limit: Int) -> Listing {
        let found = names.keys.sorted().filter { name in
            name.bytes.hasPrefix(prefix) && after.map { $0 < name.bytes } ?? true
        }
        let entries = found.prefix(max(0, limit)).compactMap { name in
            names[name].flatMap { try? entry(of: $0).get() }
        }
        return Listing(entries: entries, hasMore: found.count > max(0, limit))
    }

    package func deleted(prefix: ByteString, after: DocumentID?, limit: Int) -> Listing {
        let found = documents.keys.sorted().filter { id in
            guard let document = documents[id], document.deleted != nil else { return false }
            return document.name.bytes.hasPrefix(prefix) && after.map { $0 < id } ?? true
        }
        let entries = found.prefix(max(0, limit)).compactMap { documents[$0]?.entry($0) }
        return Listing(entries: entries, hasMore: found.count > max(0, limit))
    }

    package mutating func rename(_ id: DocumentID, to name: DocumentName) -> RenameResult {
        switch live(id) {
        case .failure(let refusal): return .refused(refusal)
        case .success(let document):
            if names[name] != nil { return .exists }
            if let refusal { return .refused(refusal) }
            names[document.name] = nil
            names[name] = id
            documents[id]?.name = name
            removeLinks(to: id)
            return .renamed
        }
    }

    package mutating func delete(_ id: DocumentID, at time: Int64) -> StoreRefusal? {
        guard let document = documents[id], document.deleted == nil else { return .gone }
        if let refusal { return refusal }
        names[document.name] = nil
        documents[id]?.deleted = time
        removeLinks(to: id)
        return nil
    }

    package mutating func undelete(_ id: DocumentID) -> UndeleteResult {
        guard let document = documents[id] else { return .refused(.gone) }
        if document.deleted == nil { return .live }
        if names[document.name] != nil { return .exists }
        if let refusal { return .refused(refusal) }
        documents[id]?.deleted = nil
        names[document.name] = id
        return entry(of: id).map(UndeleteResult.undeleted).merged { .refused($0) }
    }

    // MARK: History

    package func read(
        _ id: DocumentID, after revision: Revision, limit: Int
    ) -> Result<HistorySlice, HistoryRefusal> {
        kept(id, revision).map { document in
            var changes: [LoggedChange] = []
            var bytes = 0
            for change in document.changes[(revision.value - document.start.revision.value)...] {
                bytes += change.weight
                if bytes > limit, !changes.isEmpty { break }
                changes.append(change)
            }
            return HistorySlice(
                segment: Segment(first: revision.next, changes: changes), head: document.head.revision)
        }
    }

    package func text(of id: DocumentID, at revision: Revision?) -> Result<Snapshot, HistoryRefusal> {
        kept(id, revision).flatMap { document in
            guard let revision else { return .success(document.head) }
            let changes = document.changes.prefix(revision.value - document.start.revision.value)
            guard let text = document.start.text.applying(changes) else {
                return .failure(.refused(.damaged))
            }
            return .success(Snapshot(revision: revision, text: text))
        }
    }

    package func blame(_ id: DocumentID, _ query: BlameQuery) -> Result<BlamePage, BlameRefusal> {
        kept(id, query.revision).mapError { .history($0) }.flatMap { document in
            let end = query.revision ?? document.head.revision
            do throws(AttributedLines.Fault) {
                var blamed = try BlamedText(document.start.text, at: document.start.revision)
                for change in document.changes.prefix(end.value - document.start.revision.value) {
                    try blamed.apply(change)
                }
                return .success(BlamePage(epoch: document.epoch, of: blamed, query))
            } catch {
                return .failure(error == .tooManyLines ? .tooManyLines : .history(.refused(.damaged)))
            }
        }
    }

    package func pushers(of id: DocumentID) -> [KnownPusher] {
        guard case .success(let document) = live(id) else { return [] }
        return document.pushers.map { KnownPusher($0, $1) }.sorted { $0.entry.revision < $1.entry.revision }
    }

    package func pusher(_ pusher: Pusher, in id: DocumentID) -> Result<PusherAnswer, StoreRefusal> {
        live(id).map { PusherAnswer(entry: $0.pushers[pusher], head: $0.head.revision) }
    }

    package mutating func putSnapshot(_ snapshot: Snapshot, of id: DocumentID) -> Result<Void, HistoryRefusal>
    {
        text(of: id, at: snapshot.revision).flatMap { kept in
            if kept.text != snapshot.text { return .failure(.wrongText) }
            if let refusal { return .failure(.refused(refusal)) }
            return .success(())
        }
    }

    package mutating func trim(_ id: DocumentID, through revision: Revision) -> TrimResult {
        switch kept(id, revision) {
        case .failure(let refusal): return .refused(refusal)
        case .success(let document):
            if let refusal { return .refused(.refused(refusal)) }
            let count = revision.value - document.start.revision.value
            guard let text = document.start.text.applying(document.changes.prefix(count)) else {
                return .refused(.refused(.damaged))
            }
            documents[id]?.changes.removeFirst(count)
            documents[id]?.start = Snapshot(revision: revision, text: text)
            documents[id]?.tags.removeAll { $0.revision < revision }
            return .trimmed(start: revision)
        }
    }

    package mutating func redact(_ id: DocumentID, _ redaction: Redaction) -> RedactResult {
        switch live(id) {
        case .failure(let refusal): return .refused(refusal)
        case .success(let document):
            guard let found = try? document.redacted(redaction, epoch: nextEpoch(after: document.epoch))
            else {
                return .refused(.damaged)
            }
            if redaction.isDryRun || !found.report.changes { return .redacted(found.report) }
            if let refusal { return .refused(refusal) }
            documents[id] = found.document
            return .redacted(found.report)
        }
    }

    private func nextEpoch(after epoch: Epoch) -> Epoch {
        Epoch(generation: epoch.generation, document: epoch.document &+ 1_000_003)
    }

    // MARK: Tags

    package mutating func addTag(_ tag: Tag, to id: DocumentID, limit: Int) -> TagResult {
        switch kept(id, tag.revision) {
        case .failure(let refusal): return .refused(refusal)
        case .success(let document):
            if let same = document.tags.first(where: { $0.name == tag.name }) {
                return same.revision == tag.revision ? .tagged : .exists(same.revision)
            }
            if document.tags.count >= limit { return .tooMany }
            if let refusal { return .refused(.refused(refusal)) }
            documents[id]?.tags.append(tag)
            return .tagged
        }
    }

    package mutating func removeTag(_ name: TagName, from id: DocumentID) -> Result<Bool, StoreRefusal> {
        live(id).flatMap { document in
            guard let index = document.tags.firstIndex(where: { $0.name == name }) else {
                return .success(false)
            }
            if let refusal { return .failure(refusal) }
            documents[id]?.tags.remove(at: index)
            return .success(true)
        }
    }

    package func tagged(_ id: DocumentID) -> Result<TaggedDocument, StoreRefusal> {
        live(id).map { document in
            TaggedDocument(
                document.entry(id),
                document.tags.sorted { ($0.revision, $0.name) < ($1.revision, $1.name) })
        }
    }

    package mutating func copy(_ copy: DocumentCopy) -> CopyResult {
        switch tagged(copy.source) {
        case .failure(let refusal): return .refused(refusal)
        case .success(let source):
            guard case .listed(.success(let notes)) = answer(.list(copy.source, NoteQuery())) else {
                return .refused(.failed)
            }
            var history = CopiedHistory(copy, of: source, notes)
            while let revision = history.next {
                guard let text = try? text(of: copy.source, at: revision).get().text else {
                    return .refused(.damaged)
                }
                if !history.add(text) { return .tooLarge(bytes: history.bytes) }
            }
            return CopyResult(create(copy.name, history.complete, at: copy.time))
        }
    }

    // MARK: Notes

    package mutating func answer(_ call: NoteCall) -> NoteAnswer {
        switch call {
        case .add(let content, let id, let limits): .written(add(content, to: id, limits))
        case .change(let number, let id, let version, let change, let limits, let user):
            .written(self.change(number, of: id, version: version, change, limits, ifBy: user))
        case .accept(let number, let version, let append):
            .written(accept(number, version: version, append))
        case .list(let id, let query):
            .listed(live(id).map { query.page(of: $0.notes, $0.entry(id), $0.notebook) })
        }
    }

    private mutating func add(
        _ content: NoteContent, to id: DocumentID, _ limits: NoteLimits
    ) -> NoteResult {
        if case .success(let document) = live(id), !content.request.utf8.isEmpty,
            let known = document.notes.first(where: { $0.content.request == content.request })
        {
            return .written(NoteStamp(known))
        }
        switch kept(id, content.place?.revision) {
        case .failure(let refusal): return .refused(refusal)
        case .success(var document):
            if document.isBehind(content.place) { return .behind(head: document.head.revision) }
            if let parent = content.parent,
                !document.notes.contains(where: { $0.number == parent && $0.content.parent == nil })
            {
                return .missing
            }
            switch document.notebook.add(content, limits) {
            case .failure(let fault): return fault.result
            case .success(let note):
                if let refusal { return .refused(.refused(refusal)) }
                document.notes.append(document.atHead(note))
                documents[id] = document
                return .written(NoteStamp(note))
            }
        }
    }

    private mutating func change(
        _ number: NoteNumber, of id: DocumentID, version: Int64, _ change: NoteChange, _ limits: NoteLimits,
        ifBy user: ByteString?
    ) -> NoteResult {
        let found: Document
        switch live(id) {
        case .failure(let refusal): return .refused(.refused(refusal))
        case .success(let document): found = document
        }
        guard let index = found.notes.firstIndex(where: { $0.number == number }) else { return .missing }
        let note = found.notes[index]
        if let user, note.content.user != user { return .foreign }
        if note.version != version { return .changed(NoteStamp(note)) }
        if note.isFinal, change != .remove { return .final }
        if change.place != nil, note.content.parent != nil { return .isAnswer }
        if let place = change.place, case .failure(let refusal) = kept(id, place.revision) {
            return .refused(refusal)
        }
        if found.isBehind(change.place) { return .behind(head: found.head.revision) }
        var document = found
        if case .remove = change {
            let all = document.notes.filter { $0.number == number || $0.content.parent == number }
            if let refusal { return .refused(.refused(refusal)) }
            document.notebook.remove(all)
            document.notes.removeAll(where: all.contains)
            documents[id] = document
            return .removed(all.map(\.number), counter: document.notebook.counter)
        }
        switch document.notebook.change(note, change, limits) {
        case .failure(let fault): return fault.result
        case .success(let new):
            if let refusal { return .refused(.refused(refusal)) }
            document.notes[index] = document.atHead(new)
            documents[id] = document
            return .written(NoteStamp(new))
        }
    }

    private mutating func accept(_ number: NoteNumber, version: Int64, _ append: Append) -> NoteResult {
        let id = append.document
        let found: Document
        switch live(id) {
        case .failure(let refusal): return .refused(.refused(refusal))
        case .success(let document): found = document
        }
        guard let index = found.notes.firstIndex(where: { $0.number == number }) else { return .missing }
        let note = found.notes[index]
        if note.version != version { return .changed(NoteStamp(note)) }
        if note.isFinal { return .final }
        let head = found.head.revision
        if found.entry(id).epoch != append.epoch || head != append.expected { return .behind(head: head) }
        let outcome = self.append(append)
        guard case .committed(let new) = outcome, var document = documents[id] else {
            return .notAppended(outcome)
        }
        let accepted = document.notebook.accept(note, at: append.changes.isEmpty ? nil : new)
        document.notes[index] = accepted
        documents[id] = document
        return .written(NoteStamp(accepted))
    }

    // MARK: Tokens

    /// The secret is derived from the number: random bits would make runs differ.
    package mutating func addToken(
        of user: UserName, _ grants: Grants, expires: Int64? = nil, at time: Int64
    ) -> Result<TokenText, StoreRefusal> {
        addToken(of: { _ in user }, grants, expires: expires, at: time)
    }

    package mutating func addLink(
        to id: DocumentID, _ name: DocumentName, _ access: Access, expires: Int64, at time: Int64
    ) -> Result<TokenText, StoreRefusal> {
        guard case .success(let document) = live(id), document.name == name else { return .failure(.gone) }
        return addToken(
            of: { .ofLink($0, to: id) }, Grants(only: Grant(access, to: .document(name))), expires: expires,
            at: time)
    }

    private mutating func addToken(
        of user: (TokenID) -> UserName, _ grants: Grants, expires: Int64?, at time: Int64
    ) -> Result<TokenText, StoreRefusal> {
        if let refusal { return .failure(refusal) }
        lastToken += 1
        let id = TokenID(lastToken)
        let text = TokenText(id, secret: SIMD4(repeating: UInt64(lastToken)))
        tokens[id] = (text, Token(id: id, user: user(id), grants: grants, created: time, expires: expires))
        return .success(text)
    }

    package func token(shown text: ByteString) -> Result<Token, StoreRefusal> {
        guard let id = TokenText.token(in: text), let known = tokens[id] else { return .failure(.gone) }
        if damagedTokens.contains(id) { return .failure(.damaged) }
        return known.text.bytes == text ? .success(known.token) : .failure(.gone)
    }

    package func tokens(
        linksTo document: DocumentID? = nil, after: TokenID?, limit: Int, weighing weight: Int
    ) -> TokenListing {
        let all = tokens.values.map(\.token).filter { token in
            token.id > after ?? .unneeded && document.map { token.isLink(to: $0) } ?? true
        }.sorted { $0.id < $1.id }
        let items = all.map { token in
            damagedTokens.contains(token.id)
                ? TokenListing.Item.damaged(token.id) : .sound(token, lastUse: lastUses[token.id])
        }
        var count = min(items.count, max(0, limit))
        while count > 1, items.prefix(count).reduce(0, { $0 + $1.weight }) > weight { count -= 1 }
        return TokenListing(items: Array(items.prefix(count)), hasMore: count < items.count)
    }

    package mutating func revokeToken(_ id: TokenID, linkTo document: DocumentID? = nil) -> StoreRefusal? {
        guard let token = tokens[id]?.token, document.map({ token.isLink(to: $0) }) ?? true else {
            return .gone
        }
        if let refusal { return refusal }
        tokens[id] = nil
        lastUses[id] = nil
        return nil
    }

    /// A rename or a deletion has ended the links.
    private mutating func removeLinks(to document: DocumentID) {
        for id in tokens.keys where tokens[id]?.token.isLink(to: document) == true {
            tokens[id] = nil
            lastUses[id] = nil
        }
    }

    package func live(_ ids: [TokenID]) -> [TokenID] { ids.filter { tokens[$0] != nil } }

    package mutating func noteUses(_ uses: [TokenUse]) -> StoreRefusal? {
        if let refusal { return refusal }
        for use in uses where tokens[use.token] != nil {
            lastUses[use.token] = max(use.time, lastUses[use.token] ?? .min)
        }
        return nil
    }

    package mutating func noteEnds(of ids: [TokenID]) -> StoreRefusal? {
        if let refusal { return refusal }
        for id in ids where tokens[id]?.token.expires != nil { tokens[id]?.token.hasEnded = true }
        return nil
    }

    package mutating func add(_ signOut: SignOut, forgettingBefore oldest: Int64) -> StoreRefusal? {
        if let refusal { return refusal }
        signOuts.removeAll {
            $0.signOut.before < oldest
                || $0.signOut.subject == signOut.subject && $0.signOut.before <= signOut.before
        }
        lastSignOut += 1
        signOuts.append((lastSignOut, signOut))
        return nil
    }

    package func signOuts(after: Int64, limit: Int) -> SignOutPage {
        let rest = signOuts.filter { $0.number > after }
        let page = rest.prefix(limit)
        return SignOutPage(
            page.map(\.signOut), last: page.last?.number ?? after, hasMore: rest.count > limit)
    }

    /// Makes a token damaged from now on.
    package mutating func damage(_ token: TokenID) { damagedTokens.insert(token) }

    // MARK: Looking up

    private var refusal: StoreRefusal? {
        switch trouble {
        case .full: .full
        case .failed: .failed
        case .away: .away
        case nil: nil
        }
    }

    private func live(_ id: DocumentID) -> Result<Document, StoreRefusal> {
        guard let document = documents[id], document.deleted == nil else { return .failure(.gone) }
        return document.isDamaged ? .failure(.damaged) : .success(document)
    }

    /// The document, if it exists and has this revision.
    private func kept(_ id: DocumentID, _ revision: Revision?) -> Result<Document, HistoryRefusal> {
        live(id).mapError { .refused($0) }.flatMap { document in
            guard let revision else { return .success(document) }
            if revision > document.head.revision { return .failure(.ahead(head: document.head.revision)) }
            if revision < document.start.revision {
                return .failure(.trimmed(start: document.start.revision))
            }
            return .success(document)
        }
    }
}

extension TextBuffer {
    /// The text after these changes; nil if one does not fit.
    fileprivate func applying(_ changes: some Sequence<LoggedChange>) -> TextBuffer? {
        var text = self
        for change in changes {
            // If a change does not fit the text, the history is damaged.
            guard let change = try? change.change, (try? text.apply(change)) != nil else { return nil }
        }
        return text
    }
}

extension Result {
    fileprivate func merged(_ refuse: (Failure) -> Success) -> Success {
        switch self {
        case .success(let value): value
        case .failure(let failure): refuse(failure)
        }
    }
}

extension StoreModel {
    /// This store after a restore from a backup: every document has a new epoch.
    package func renewed(generation: UInt64) -> StoreModel {
        var renewed = self
        renewed.generation = generation
        renewed.documents = documents.mapValues { $0.renewed(generation: generation) }
        return renewed
    }

    /// Renews all epochs, because a client knows a newer revision than a document has.
    package mutating func renewEpochs() -> Result<Bool, StoreRefusal> {
        if let refusal { return .failure(refusal) }
        if isFresh { return .success(false) }
        self = renewed(generation: generation &+ 1)
        isFresh = true
        return .success(true)
    }

    /// The documents that are not deleted.
    package var live: [DocumentEntry] { names.keys.sorted().compactMap { try? find($0).get() } }
}

extension Token {
    fileprivate func isLink(to document: DocumentID) -> Bool {
        UserName.ofLinks(to: document).contains(user.bytes)
    }
}
