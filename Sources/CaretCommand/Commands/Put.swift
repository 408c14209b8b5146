import CaretClient
import CaretCore
import CaretSync
import CaretWire

/// Pushes a whole text, which the server merges.
struct Put: Subcommand {
    private static let base = Option(
        "base", value: "REV", "the revision that the text was made from; default the newest one")
    private static let create = Option("create", "makes the document where there is none")
    private static let merged = Option("print", "prints the text as it is then, merged")

    static let description = CommandDescription(
        "put", "makes a file, or what comes in, the text of a document",
        details: """
            The server compares the text with the one it was made from, and what others have changed since then stays. \
            Without --base that is the newest one, which the text replaces as a whole.
            """,
        arguments: [
            Argument("DOC", .document, "the document"),
            Argument("FILE", .file, isOptional: true, "the text; without it or with - the standard input"),
        ], options: [base, create, merged])

    private let document: String
    private let file: String
    private let base: RevisionName
    private let creates: Bool
    private let printsText: Bool

    init(_ given: Given) throws(UsageFault) {
        document = try given.document(0)
        file = given.optionalArgument(1) ?? "-"
        creates = given.has(Put.create)
        printsText = given.has(Put.merged)
        let text = given.text(Put.base) ?? ""
        guard let name = RevisionName(text) else {
            throw given.fault(.badValue(Put.base.flag, found: text, allowed: RevisionName.allowed))
        }
        base = name
    }

    func run(on stage: Stage) async throws -> ExitCode {
        let text = try TextFile.text(at: file)
        let (base, saved) = try await stage.reach(about: document) { client in
            let base = try await version(client)
            let saved = try await client.push(
                text, to: document, since: base, creating: creates, answeringWithText: printsText)
            return (base, saved)
        }
        if stage.isJSON {
            var members: [(key: String, value: JSON)] = [
                ("doc", .text(document)), ("rev", .number(saved.revision.value)),
                ("unchanged", .bool(saved.isUnchanged)),
            ]
            if let text = saved.text { members.append(("text", .text(text))) }
            stage.show(.object(members))
        } else if let merged = saved.text {
            // As `cat` prints it then: a text that changed something says with which line breaks.
            let said = saved.isUnchanged ? nil : FileText(text).usesCRLF
            stage.show(text: merged, usesCRLF: said ?? base?.usesCRLF ?? false)
        } else {
            let words = saved.isUnchanged ? "unchanged, at revision" : "saved as revision"
            stage.output.write("\(document.harmless): \(words) \(saved.revision.value)\n")
        }
        return .done
    }

    /// What the text was made from; nil where there is no document yet, and one is to be made.
    private func version(_ client: LiveClient) async throws -> DocumentVersion? {
        do {
            return try await client.read(DocumentPoint(document: document, revision: base))
        } catch let refusal as ServerRefusal where refusal.code == .notFound && creates && base == .head {
            return nil
        } catch let refusal as ServerRefusal where refusal.code == .notFound && base == .head {
            throw Failure("\(document.harmless): \(refusal)", advice: "--create makes it")
        }
    }
}
