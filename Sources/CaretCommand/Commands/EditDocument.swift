import CaretClient
import CaretCore
import CaretReplica
import CaretSync
import CaretWire
import Dispatch
import FoundationEssentials
import Glibc
import Synchronization

/// Opens a live copy of a document in an editor.
struct EditDocument: Subcommand {
    private static let create = Option("create", "creates the document if it does not exist")

    static let description = CommandDescription(
        "edit", "opens a live copy of a document in an editor, and merges each save",
        details: """
            The editor is $VISUAL or $EDITOR. In Vim and Neovim the document is live, if their plugins are installed \
            (docs/editors.md), and others see your caret with your name. In other editors, each save is merged with the changes of others. Changes of others are \
            written to the file, unless the editor has just changed it. If your editor reloads changed files, it shows these \
            changes. At the end caret reports whether all edits are saved on the server. If the server cannot be reached, \
            caret waits and prints where your text is. If you interrupt caret, the unsaved edits are kept. If you \
            later run `caret edit` for the document again, it continues with the unsaved edits, even without a server. \
            Unsaved edits are kept in caret/edit under $XDG_STATE_HOME or ~/.local/state.
            """,
        arguments: [Argument("DOC", .document, "the document")], options: [create] + PersonOptions.all)

    private let document: String
    private let creates: Bool
    private let person: PersonInfo

    init(_ arguments: Arguments) throws(UsageFault) {
        document = try arguments.document(0)
        creates = arguments.has(EditDocument.create)
        person = try arguments.person()
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        let environment = ProcessInfo.processInfo.environment
        let editor = [environment["VISUAL"], environment["EDITOR"], "vi"].compactMap(\.self)
            .first { !$0.isEmpty }
        guard let editor else { preconditionFailure("no editor was found, although vi is the default") }
        let folder = EditingFolder.prepared(for: document, in: context)
        defer { folder?.removeIfSaved() }
        if let folder, let live = PluginEditor(editor) {
            try await live.edit(document, creating: creates, as: person, keepingIn: folder, context)
            return .done
        }
        try await context.stayConnected(seenAs: person, about: document, keepingIn: folder?.path) { client in
            try await edit(client, with: editor, keeping: folder != nil, in: context)
        }
        return .done
    }

    private func edit(
        _ client: LiveClient, with editor: String, keeping: Bool, in context: CommandContext
    ) async throws {
        let limit = try await textLimit(client, in: context)
        let open = try await client.open(document, creating: creates).opened()
        let copy = try LiveCopy(of: open, limit: limit)
        let interruption = Mutex<Interruption?>(nil)
        defer { interruption.withLock { $0?.end() } }
        let hasTerminal = isatty(STDIN_FILENO) == 1
        let exit = try await copy.edit(with: editor) {
            // Without a terminal no user can press Return.
            if !hasTerminal { return }
            interruption.withLock { $0 = Interruption { reportInterruption(copy, keeping, in: context) } }
            await waitForReturn(in: context)
        }
        interruption.withLock { $0 = Interruption { reportInterruption(copy, keeping, in: context) } }
        try await save(open, copy, keeping, in: context)
        if exit.endedAtOnce, !hasTerminal {
            throw Failure(
                "\(document.printable): the editor exited at once and saved nothing; its file is "
                    + copy.path,
                advice: "make it wait until the file is closed, for example EDITOR='code --wait'")
        }
        try copy.remove()
        if exit.status != 0 {
            throw Failure("the editor exited with status \(exit.status); the text that it wrote is saved")
        }
        let revision = open.revision.value
        context.report(
            .object(["doc": .text(open.name), "rev": .number(revision)]),
            "\(open.name.printable): all edits are saved, at revision \(revision)")
    }

    /// The largest size of a text, in bytes. Throws if the server cannot be reached and no unsaved edits of
    /// the document are kept on this machine.
    private func textLimit(_ client: LiveClient, in context: CommandContext) async throws -> Int {
        let isKept = client.hasUnsavedEdits(of: document)
        do {
            try await context.requireServer()
            if isKept {
                context.note("\(document.printable): your unsaved edits from last time are restored")
            }
            return try await client.welcome().limits.document
        } catch let fault as ConnectionFault where isKept && fault.isUnreachable {
            context.note(
                "\(document.printable): your unsaved edits from last time are restored; "
                    + "the server cannot be reached (\(fault)), so it receives these edits later"
            )
            return Limits.Announced().document
        }
    }

    /// Waits until everything is saved on the server, and warns if the server cannot be reached.
    private func save(
        _ open: LiveDocument, _ copy: LiveCopy, _ keeping: Bool, in context: CommandContext
    ) async throws {
        if keeping { try await keep(open, copy) }
        let warning = Task {
            let updates = open.updates
            var isWaiting = open.state.isWaiting
            if !isWaiting {
                for await case .state(let state) in updates where state.isWaiting {
                    isWaiting = true
                    break
                }
            }
            if !isWaiting || Task.isCancelled { return }
            context.warn(
                Failure(
                    "\(document.printable): not saved yet: the server cannot be reached; your text is in \(copy.path)",
                    advice: "waiting for the server; Ctrl-C stops waiting, and the text stays",
                    code: .unreachable))
        }
        defer { warning.cancel() }
        do {
            try await open.saved()
            // The server now has all edits. Here `kept` waits until their copy on this machine is removed.
            if keeping { try await open.kept() }
        } catch let refused as RefusedEdits {
            throw Failure("\(document.printable): \(refused)", advice: "your text is in \(copy.path)")
        } catch let fault as UnsavedEditsFault {
            throw Failure(
                "\(document.printable): all edits are saved, but their copy on this machine cannot be removed: "
                    + "\(fault)")
        }
    }

    /// Waits until the unsaved edits are in a file on this machine.
    private func keep(_ open: LiveDocument, _ copy: LiveCopy) async throws {
        do {
            try await open.kept()
        } catch let fault as UnsavedEditsFault {
            throw Failure(
                "\(document.printable): unsaved edits cannot be kept: \(fault)",
                advice: "your text is in \(copy.path)")
        }
    }

    private func reportInterruption(_ copy: LiveCopy, _ keeping: Bool, in context: CommandContext) {
        let name = document.printable
        context.warn(
            Failure(
                "\(name): interrupted before all edits were saved; your text is in \(copy.path)",
                advice: keeping
                    ? "`caret edit \(name)` continues with this text"
                    : "`caret put \(name) \(copy.path)` saves this text"))
    }

    private func waitForReturn(in context: CommandContext) async {
        context.note(
            "the editor exited at once and saved nothing; if it is open in another window, save there, and "
                + "press Return here when you are done")
        await withCheckedContinuation { waiter in
            // Blocks a thread for as long as the user edits.
            DispatchQueue(label: "return").async {
                _ = readLine()
                waiter.resume()
            }
        }
    }
}

extension SavingState {
    /// Whether the client is offline, or the server has not opened the document yet.
    fileprivate var isWaiting: Bool {
        switch self {
        case .offline, .opening: true
        case .saved, .sending, .refused: false
        }
    }
}
