package import CaretCore

/// The answer to a `ToolCall`: texts for the assistant, and whether the call failed.
package struct ToolResult: Equatable, Sendable {
    package let texts: [String]
    package let isError: Bool

    package init(_ texts: String..., isError: Bool = false) { (self.texts, self.isError) = (texts, isError) }

    /// Writes the members of the result.
    func write(to writer: inout JSONWriter) {
        writer.member("content", texts) { writer, text in
            writer.beginObject()
            writer.member("type", "text" as WireString)
            writer.member("text", WireString(text))
            writer.endObject()
        }
        writer.member("isError", isError)
    }
}

/// A revision, as `document_history` lists it.
package struct ToolRevision {
    let number: Revision
    let user: String
    /// In milliseconds since 1970.
    let time: Int
    let inserted: Int
    let deleted: Int

    package init(
        _ number: Revision, by user: String, at time: Int, inserted: Int, deleted: Int
    ) {
        self.number = number
        self.user = user
        self.time = time
        self.inserted = inserted
        self.deleted = deleted
    }
}

// What the tools say.
extension ToolResult {
    /// The most documents that `list_documents` lists.
    package static let mostDocuments = 1_000

    package static func documents(
        _ documents: [(name: String, revision: Revision, length: Int)], hasMore: Bool
    ) -> ToolResult {
        if documents.isEmpty { return ToolResult("there are no documents") }
        let lines = documents.map { "\($0.name)  revision \($0.revision.value), \($0.length) characters" }
        let more = hasMore ? ["there are more; pass a longer prefix"] : []
        return ToolResult((lines + more).joined(separator: "\n"))
    }

    package static func text(
        _ text: String, of name: String, at revision: Revision, lines: ToolLines?
    ) -> ToolResult {
        guard let lines else { return ToolResult("\(name), revision \(revision.value):", text) }
        do throws(LinePart.Fault) {
            let part = try LinePart(lines, of: text)
            return ToolResult("\(name), revision \(revision.value), \(part.words):", part.text)
        } catch {
            return ToolResult(error.description, isError: true)
        }
    }

    /// `revisions` are sorted by their numbers.
    package static func history(of name: String, _ revisions: [ToolRevision]) -> ToolResult {
        if revisions.isEmpty { return ToolResult("\(name) has no revisions") }
        let lines = revisions.reversed().map { entry in
            "revision \(entry.number.value)  \(UTCTime(milliseconds: Int64(max(0, entry.time))))  "
                + "\(entry.user)  +\(entry.inserted) -\(entry.deleted)"
        }
        return ToolResult("\(name), newest first:", lines.joined(separator: "\n"))
    }

    package static func saved(_ name: String, as revision: Revision) -> ToolResult {
        ToolResult("\(name): saved as revision \(revision.value)")
    }

    /// `text` is what the assistant wrote, and `merged` the text that the document has now. Nil if they are the same.
    package static func saved(
        _ name: String, as revision: Revision, isUnchanged: Bool, text: String, merged: String?
    ) -> ToolResult {
        let sentence = "\(name): \(isUnchanged ? "unchanged, at" : "saved as") revision \(revision.value)"
        guard let merged, !hasSameBytes(merged, text.withLineFeeds) else { return ToolResult(sentence) }
        return ToolResult("\(sentence). Other people changed the text meanwhile. It is now:", merged)
    }

    package static func unchanged(_ name: String, since revision: Int) -> ToolResult {
        ToolResult("\(name): no change since revision \(revision)")
    }

    package static func changes(
        in name: String, from old: TextBuffer, at oldRevision: Int, to new: TextBuffer,
        at newRevision: Revision
    ) throws(TextError) -> ToolResult {
        let lines = try LineDiff(from: old, to: new, by: diff(from: old, to: new))
        let patch = Patch(lines, from: "revision \(oldRevision)", to: "revision \(newRevision.value)")
        return ToolResult(
            "\(name): revision \(newRevision.value). What changed since revision \(oldRevision):", patch.text)
    }

    /// What the server has refused, and what an assistant can do, which has tools and no shell.
    package static func refusal(_ code: ErrorCode?, _ message: String) -> ToolResult {
        ToolResult(
            [message, code?.adviceForAssistant].compactMap { $0 }.joined(separator: "\n"), isError: true)
    }
}

extension ErrorCode {
    fileprivate var adviceForAssistant: String? {
        switch self {
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
