import CaretClient
import CaretReplica
import CaretWire
import Glibc

/// Connects a text editor to a document, by lines of JSON on standard input and output.
struct EditorPipe: Subcommand {
    private static let create = Option("create", "creates the document if it does not exist")
    private static let positions = Option(
        "positions", value: "UNIT",
        "how the editor counts: lines, characters or utf16; default: lines")

    static let description = CommandDescription(
        "pipe", "connects a text editor to a document, by lines of JSON on standard input and output",
        details: """
            The plugins for Vim, Neovim, Emacs and VS Code run this command. It sends the text, and then every change of others as \
            small edits. The editor sends what its user changes. docs/editors.md describes the messages. At the end of its \
            input, the command waits until all edits are saved. If the server cannot be reached then, the edits are kept on \
            this machine, and the next `caret pipe` or `caret edit` of the document continues with them.
            """,
        arguments: [Argument("DOC", .document, "the document")],
        options: [create, positions] + PersonOptions.all)

    private let document: String
    private let creates: Bool
    private let unit: EditorUnit
    private let person: PersonInfo

    init(_ arguments: Arguments) throws(UsageFault) {
        document = try arguments.document(0)
        creates = arguments.has(EditorPipe.create)
        let word = arguments.text(EditorPipe.positions) ?? EditorUnit.lines.rawValue
        guard let unit = EditorUnit(rawValue: word) else {
            let allowed = EditorUnit.allCases.map(\.rawValue).joined(separator: ", ")
            throw arguments.fault(.badValue("--positions", found: word, expected: allowed))
        }
        self.unit = unit
        person = try arguments.person()
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        let folder = EditingFolder.prepared(for: document, in: context)
        defer { folder?.removeIfSaved() }
        try await context.stayConnected(seenAs: person, about: document, keepingIn: folder?.path) { client in
            // With unsaved edits from last time, the user can go on without a server.
            if !client.hasUnsavedEdits(of: document) { try await context.requireServer() }
            let open = try await client.open(document, creating: creates).opened()
            try await serve(open, of: client, in: context)
        }
        return .done
    }

    private func serve(
        _ open: LiveDocument, of client: LiveClient, in context: CommandContext
    ) async throws {
        let updates = open.updates
        let session = EditorSession(
            open, unit: unit, keeping: client.keepsUnsavedEdits, context.output)
        let sending = Task {
            do {
                try session.update()
                for await update in updates {
                    if case .renamed(let name) = update { session.renamed(name) }
                    try session.update()
                }
            } catch {
                session.failed(Failure(error))
            }
        }
        defer { sending.cancel() }
        let watching = Task { for await _ in client.connectionUpdates { session.connectionChanged() } }
        defer { watching.cancel() }
        do {
            for await line in InputLines(of: STDIN_FILENO) {
                let message = try EditorMessage(line)
                try session.received(message)
                if message == .save { save(open, session) }
            }
        } catch {
            // The text of the editor and the document are different now, so the command ends.
            session.failed(Failure(error))
            try await end(open, in: context)
            throw error
        }
        try await end(open, in: context)
    }

    private func save(_ open: LiveDocument, _ session: EditorSession) {
        Task {
            do {
                try await open.saved()
                session.saved()
            } catch {
                session.failed(Failure(error))
            }
        }
    }

    /// Waits until all edits are on the server, or in a file on this machine.
    private func end(_ open: LiveDocument, in context: CommandContext) async throws {
        let updates = open.updates
        do {
            try await open.kept()
        } catch let fault as UnsavedEditsFault {
            // The end of this process would lose the edits.
            context.warn(
                Failure(
                    "\(document.printable): your edits are not saved, and cannot be kept on this machine: \(fault)",
                    advice: "this command runs until they are"))
            for await _ in updates where open.state == .saved || open.keepingFault == nil { break }
        }
        if open.state == .sending {
            for await _ in updates where open.state != .sending { break }
        }
        switch open.state {
        case .saved: break
        case .refused: try await open.saved()
        case .sending, .opening, .offline:
            context.note(
                "\(document.printable): the server cannot be reached; your edits are kept on this machine")
        }
    }
}
