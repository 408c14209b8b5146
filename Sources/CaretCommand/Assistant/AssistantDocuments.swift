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
            let advice = (error as? ServerRefusal)?.adviceForAssistant
            return ToolResult(
                [Failure(error).message, advice].compactMap(\.self).joined(separator: "\n"), isError: true)
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
        }
    }

    private func list(_ prefix: String) async throws -> ToolResult {
        let page = try await client.list(prefix: prefix, limit: 1_000)
        let lines = page.documents.map {
            "\($0.name)  revision \($0.revision.value), \($0.length) characters"
        }
        if lines.isEmpty { return ToolResult("there are no documents") }
        let more = page.hasMore ? ["there are more; pass a longer prefix"] : []
        return ToolResult((lines + more).joined(separator: "\n"))
    }

    private func read(_ name: String, _ revision: Int?, _ lines: ToolLines?) async throws -> ToolResult {
        let (found, text): (Int, String)
        if let revision {
            (found, text) = (
                revision, try await client.read(name, at: .revision(Revision(revision))).text
            )
        } else {
            let document = try await document(name)
            (found, text) = (document.revision.value, document.text.string)
        }
        guard let lines else { return ToolResult("\(name), revision \(found):", text) }
        let part = try LinePart(lines, of: text)
        return ToolResult("\(name), revision \(found), \(part.words):", part.text)
    }

    private func history(of name: String, _ limit: Int) async throws -> ToolResult {
        let head = try await client.entry(of: name).revision.value
        let page = try await client.history(
            of: name, after: .revision(Revision(max(0, head - limit))), limit: limit)
        if page.entries.isEmpty { return ToolResult("\(name) has no revisions") }
        let lines = page.entries.reversed().map { entry in
            "revision \(entry.revision.value)  \(Stamp.universal(entry.time))  \(entry.user.printable)  "
                + "+\(entry.inserted) -\(entry.deleted)"
        }
        return ToolResult("\(name), newest first:", lines.joined(separator: "\n"))
    }

    private func edit(_ name: String, _ old: String, _ new: String) async throws -> ToolResult {
        let document = try await document(name)
        let new = TextBuffer(normalizing: new)
        try document.edit { text in [try Edit(Passage(old, in: text.string).range, new.string)] }
        showCaret(after: new, in: document)
        try await document.saved()
        return ToolResult("\(name): saved as revision \(document.revision.value)")
    }

    /// Shows people where the assistant wrote. Its caret is behind the first place with this text, and other
    /// people may have moved it.
    private func showCaret(after text: TextBuffer, in document: LiveDocument) {
        guard let passage = try? Passage(text.string, in: document.text.string) else { return }
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
        let sentence =
            "\(name): \(saved.isUnchanged ? "unchanged, at" : "saved as") revision \(saved.revision.value)"
        guard let merged = saved.text, merged != text else { return ToolResult(sentence) }
        return ToolResult("\(sentence). Other people changed the text meanwhile. It is now:", merged)
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
        let (newest, text) = (document.revision.value, document.text)
        if newest <= revision { return ToolResult("\(name): no change since revision \(revision)") }
        let old = try TextBuffer(await client.read(name, at: .revision(Revision(revision))).text)
        let lines = try LineDiff(from: old, to: text, by: diff(from: old, to: text))
        let patch = Patch(lines, from: "revision \(revision)", to: "revision \(newest)")
        return ToolResult(
            "\(name): revision \(newest). What changed since revision \(revision):",
            DiffPage(patch, style: Style(isColored: false), isForUsers: false).text)
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

extension ServerRefusal {
    /// What an assistant can do, which has tools, and no shell.
    fileprivate var adviceForAssistant: String? {
        switch code {
        case .notFound: "list_documents lists the documents that you may read"
        case .badName: "a name consists of parts separated by /; no part can be empty, . or .."
        case .baseAhead, .baseTrimmed, .epochChanged, .baseBehind: "read the newest text of the document"
        case .tooLarge: "nothing was changed; write less"
        case .rateLimited, .overloaded, .shuttingDown: "try again later"
        case .unauthorized, .tokenEnded, .forbidden: "ask the user for a token with this right"
        default: nil
        }
    }
}

extension SavingState {
    fileprivate var isRefused: Bool {
        if case .refused = self { true } else { false }
    }
}
