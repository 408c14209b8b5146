import CaretClient
import CaretCore
import CaretSync
import CaretWire

/// Pushes a whole text, which the server merges.
struct Put: Subcommand {
    private static let base = Option(
        "base", value: "REV", "the revision that the text was made from; default: the newest one")
    private static let create = Option("create", "creates the document if it does not exist")
    private static let merged = Option("print", "prints the merged text")

    static let description = CommandDescription(
        "put", "saves a file or standard input as the text of a document",
        details: """
            The server computes your changes since the base revision and merges them with those of others. Without --base \
            your text replaces the newest revision as a whole.
            """,
        arguments: [
            Argument("DOC", .document, "the document"),
            Argument(
                "FILE", .file, isOptional: true, "the file with the text; standard input if missing or -"),
        ], options: [base, create, merged])

    private let document: String
    private let file: String
    private let base: RevisionName
    private let creates: Bool
    private let printsText: Bool

    init(_ arguments: Arguments) throws(UsageFault) {
        document = try arguments.document(0)
        file = arguments.optional(1) ?? "-"
        creates = arguments.has(Put.create)
        printsText = arguments.has(Put.merged)
        let text = arguments.text(Put.base) ?? ""
        guard let name = RevisionName(text) else {
            throw arguments.fault(.badValue(Put.base.flag, found: text, expected: RevisionName.expected))
        }
        base = name
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        let text = try TextFile.text(at: file)
        let (base, saved) = try await context.withClient(about: document) { client in
            let base = try await version(client)
            let saved = try await client.push(
                text, to: document, since: base, creating: creates, answeringWithText: printsText)
            return (base, saved)
        }
        if context.isJSON {
            var members: [(key: String, value: JSON)] = [
                ("doc", .text(document)), ("rev", .number(saved.revision.value)),
                ("unchanged", .bool(saved.isUnchanged)),
            ]
            if let text = saved.text { members.append(("text", .text(text))) }
            context.show(.object(members))
        } else if let merged = saved.text {
            // Prints what `caret cat` would print after this push. A push that changes the text also sets its
            // line breaks.
            let fileUsesCRLF = saved.isUnchanged ? nil : FileText(text).usesCRLF
            context.show(text: merged, usesCRLF: fileUsesCRLF ?? base?.usesCRLF ?? false)
        } else {
            let words = saved.isUnchanged ? "unchanged, at revision" : "saved as revision"
            context.output.write("\(document.printable): \(words) \(saved.revision.value)\n")
        }
        return .done
    }

    /// The version that the text was made from; nil if the document is to be created.
    private func version(_ client: LiveClient) async throws -> DocumentVersion? {
        do {
            return try await client.read(DocumentPoint(document: document, revision: base))
        } catch let refusal as ServerRefusal where refusal.code == .notFound && creates && base == .head {
            return nil
        } catch let refusal as ServerRefusal where refusal.code == .notFound && base == .head {
            throw Failure(
                "\(document.printable): \(refusal)", advice: "pass --create to create the document")
        }
    }
}
