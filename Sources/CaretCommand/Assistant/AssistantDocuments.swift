import CaretClient
import CaretCore
import CaretReplica
import CaretWire

/// Runs the tools of an assistant. Documents that it uses stay open for a while, so that people see it there.
actor AssistantDocuments {
    private let client: LiveClient
    /// The documents that are open, the one that was used last at the end.
    private var open: [(name: String, document: LiveDocument)] = []

    private static let mostOpen = 8

    init(_ client: LiveClient) { self.client = client }

    /// Runs a tool. A failure is a result too, because the assistant can often mend its call.
    func result(of call: ToolCall) async -> ToolResult {
        do {
            return try await run(call)
        } catch {
            return .refusal((error as? ServerRefusal)?.code, Failure(error).message)
        }
    }

    private func run(_ call: ToolCall) async throws -> ToolResult {
        switch call {
        case .list(let prefix): return try await list(prefix)
        case .read(let name, let revision, let lines): return try await read(name, revision, lines)
        case .history(let name, let limit): return try await history(of: name, limit)
        case .edit(let name, let old, let new): return try await edit(name, old, new)
        case .write(let name, let text, let base, let creates):
            return try await write(name, text, base, creates)
        case .wait(let name, let revision, let seconds):
            return try await wait(name, after: revision, seconds: seconds)
        case .notes(let call, let name): return try await run(call, on: name)
        }
    }

    private func list(_ prefix: String) async throws -> ToolResult {
        let page = try await client.list(prefix: prefix, limit: ToolResult.mostDocuments)
        return .documents(
            page.documents.map { ($0.name, $0.revision, $0.length) }, hasMore: page.hasMore)
    }

    private func read(_ name: String, _ revision: Int?, _ lines: ToolLines?) async throws -> ToolResult {
        if let revision = revision.map({ Revision($0) }) {
            let old = try await client.read(name, at: .revision(revision))
            return .text(old.text, of: name, at: revision, lines: lines)
        }
        let document = try await document(name)
        return .text(document.text.string, of: name, at: document.revision, lines: lines)
    }

    private func history(of name: String, _ limit: Int) async throws -> ToolResult {
        let head = try await client.entry(of: name).revision.value
        let page: DocumentHistory
        do {
            page = try await client.history(
                of: name, after: .revision(Revision(max(0, head - limit))), limit: limit)
        } catch let refusal as ServerRefusal where refusal.code == .baseTrimmed {
            // Fewer revisions are kept.
            page = try await client.history(of: name, limit: limit)
        }
        return .history(
            of: name,
            page.entries.map {
                ToolRevision(
                    $0.revision, by: $0.user.printable, at: $0.time.milliseconds, inserted: $0.inserted,
                    deleted: $0.deleted)
            })
    }

    private func edit(_ name: String, _ old: String, _ new: String) async throws -> ToolResult {
        let document = try await document(name)
        let new = TextBuffer(normalizing: new)
        try document.edit { text in [try Edit(UniquePassage(old, in: text.string).range, new.string)] }
        showCaret(after: new, in: document)
        try await document.saved()
        return .saved(name, as: document.revision)
    }

    /// Shows people where the assistant wrote. Its caret is behind the first place with this text, and other
    /// people may have moved it.
    private func showCaret(after text: TextBuffer, in document: LiveDocument) {
        guard let passage = try? UniquePassage(text.string, in: document.text.string) else { return }
        try? document.select([Selection(caret: passage.range.upperBound)])
    }

    private func write(
        _ name: String, _ text: String, _ base: Int?, _ creates: Bool
    ) async throws -> ToolResult {
        // A client does not push to a document that it has open.
        close(name)
        let version: DocumentVersion?
        do {
            version = try await client.read(name, at: base.map { .revision(Revision($0)) })
        } catch let refusal as ServerRefusal where refusal.code == .notFound && creates && base == nil {
            version = nil
        }
        let saved = try await client.push(
            text, to: name, since: version, creating: creates, answeringWithText: true)
        return .saved(
            name, as: saved.revision, isUnchanged: saved.isUnchanged, text: text, merged: saved.text)
    }

    private func wait(_ name: String, after revision: Int, seconds: Int) async throws -> ToolResult {
        let document = try await document(name)
        let updates = document.updates
        if document.revision.value <= revision {
            await withTaskGroup { group in
                group.addTask { try? await Task.sleep(for: .seconds(seconds)) }
                group.addTask {
                    for await _ in updates where document.revision.value > revision { break }
                }
                await group.next()
                group.cancelAll()
            }
        }
        try Task.checkCancellation()
        let (newest, text) = (document.revision, document.text)
        if newest.value <= revision { return .unchanged(name, since: revision) }
        let old = try TextBuffer(await client.read(name, at: .revision(Revision(revision))).text)
        return try .changes(in: name, from: old, at: revision, to: text, at: newest)
    }

    // MARK: Notes

    private func run(_ call: NoteToolCall, on name: String) async throws -> ToolResult {
        if let request = call.list(of: name) {
            var list = try await list(request)
            while let next = call.next(after: list) {
                let page = try await self.list(next)
                (list.notes, list.hasMore) = (list.notes + page.notes, page.hasMore)
            }
            switch call {
            case .set(let note, _):
                guard let change = call.change(in: list) else { return .missing(note, in: name) }
                return try await write(.change(change), by: call, in: name)
            case .list(let isForAll): return .notes(list, of: name, isForAll: isForAll)
            case .add, .suggest: throw Failure.unexpectedAnswer
            }
        }
        var note: AddNote
        if let request = call.request(to: name), call.passage == nil {
            note = request
        } else {
            let version = try await client.read(name)
            note = try call.request(to: name, in: version.text, at: version.revision)
        }
        note.request = WireString(LiveClient.randomID())
        return try await write(.add(note), by: call, in: name)
    }

    private func list(_ request: ListNotes) async throws -> NoteList {
        guard case .notes(.list(let list)) = try await client.request(.notes(.list(request))) else {
            throw Failure.unexpectedAnswer
        }
        return list
    }

    private func write(
        _ request: NoteRequest, by call: NoteToolCall, in name: String
    ) async throws -> ToolResult {
        guard case .notes(.written(let written)) = try await client.request(.notes(request)) else {
            throw Failure.unexpectedAnswer
        }
        return .noted(written, by: call, in: name)
    }

    // MARK: Open documents

    private func document(_ name: String) async throws -> LiveDocument {
        if let index = open.firstIndex(where: { $0.name == name }) {
            let known = open.remove(at: index)
            // After a rename or a deletion, only the server knows what has this name now.
            if known.document.name == name, !known.document.state.isRefused {
                open.append(known)
                return try await known.document.opened()
            }
            known.document.close()
        }
        let document = try await client.open(name).opened()
        // Another call may have opened it meanwhile.
        close(name)
        open.append((name, document))
        if open.count > Self.mostOpen { open.removeFirst().document.close() }
        return document
    }

    private func close(_ name: String) {
        for known in open where known.name == name { known.document.close() }
        open.removeAll { $0.name == name }
    }
}

extension SavingState {
    fileprivate var isRefused: Bool {
        if case .refused = self { true } else { false }
    }
}
