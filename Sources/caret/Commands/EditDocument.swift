import CaretClient
import CaretCore
import CaretWire
import FoundationEssentials

/// Opens an editor on a live copy of a document.
struct EditDocument: Subcommand {
    private static let create = Option("create", "makes the document where there is none")

    static let description = CommandDescription(
        "edit", "opens an editor on a live copy of a document, and merges what is saved there",
        details: """
            The editor is that of VISUAL or EDITOR. Each time it saves, the text is merged with what others have changed; \
            what they change comes into the file while the editor has not changed it, and an editor that looks shows it. At \
            the end it is said whether all is saved on the server.
            """,
        arguments: [Argument("DOC", .document, "the document")], options: [create])

    private let document: String
    private let creates: Bool

    init(_ given: Given) throws(UsageFault) {
        document = try given.document(0)
        creates = given.has(EditDocument.create)
    }

    func run(on stage: Stage) async throws -> ExitCode {
        let environment = ProcessInfo.processInfo.environment
        let editor = [environment["VISUAL"], environment["EDITOR"], "vi"].compactMap(\.self)
            .first { !$0.isEmpty }
        guard let editor else { preconditionFailure("vi is an editor") }
        try await stage.requireServer()
        try await stage.stay(about: document) { client in
            let open = try await client.open(document, creating: creates).opened()
            let limit = try await client.welcome().limits.document
            let copy = try LiveCopy(of: open, limit: limit)
            let status = try await copy.edit(with: editor)
            do {
                try await open.saved()
            } catch let refused as RefusedEdits {
                throw Failure(
                    "\(document.harmless): \(refused)", advice: "your text is in \(copy.path)")
            }
            try copy.remove()
            if status != 0 { throw Failure("the editor ended with \(status); what it saved is saved") }
            let revision = open.revision.value
            stage.tell(
                .object(["doc": .text(open.name), "rev": .number(revision)]),
                "\(open.name.harmless): all is saved, at revision \(revision)")
        }
        return .done
    }
}
