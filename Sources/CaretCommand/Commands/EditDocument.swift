import CaretClient
import CaretCore
import CaretReplica
import CaretSync
import CaretWire
import Dispatch
import FoundationEssentials
import Glibc
import Synchronization

/// Opens an editor on a live copy of a document.
struct EditDocument: Subcommand {
    private static let create = Option("create", "makes the document where there is none")

    static let description = CommandDescription(
        "edit", "opens an editor on a live copy of a document, and merges what is saved there",
        details: """
            The editor is that of VISUAL or EDITOR. Each time it saves, the text is merged with what others have changed; \
            what they change comes into the file while the editor has not changed it, and an editor that looks shows it. At \
            the end it says whether all is saved on the server. Where the server cannot be reached it waits, and says where \
            the text is; what was not saved when it is interrupted is kept, and the next caret edit of that document goes on \
            with it, without a server too. It lies in caret/edit under XDG_STATE_HOME, or under ~/.local/state.
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
        let folder = prepared(
            EditingFolder(for: document, at: stage.place.address.description, environment), on: stage)
        defer { folder?.removeIfSaved() }
        try await stage.stay(about: document, keepingIn: folder?.path) { client in
            try await edit(client, with: editor, keeping: folder != nil, on: stage)
        }
        return .done
    }

    /// Nil where nothing can be kept.
    private func prepared(_ folder: EditingFolder?, on stage: Stage) -> EditingFolder? {
        do throws(FileFault) {
            try folder?.prepare()
            return folder
        } catch {
            stage.complain(Failure("what is not saved cannot be kept for later: \(error)"))
            return nil
        }
    }

    private func edit(
        _ client: LiveClient, with editor: String, keeping: Bool, on stage: Stage
    ) async throws {
        let limit = try await textLimit(client, on: stage)
        let open = try await client.open(document, creating: creates).opened()
        let copy = try LiveCopy(of: open, limit: limit)
        let interruption = Mutex<Interruption?>(nil)
        defer { interruption.withLock { $0?.end() } }
        let isAsked = isatty(STDIN_FILENO) == 1
        let ended = try await copy.edit(with: editor) {
            // Nobody can be asked elsewhere than at a terminal.
            if !isAsked { return }
            interruption.withLock { $0 = Interruption { sayInterrupted(copy, keeping, on: stage) } }
            await waitForReturn(on: stage)
        }
        interruption.withLock { $0 = Interruption { sayInterrupted(copy, keeping, on: stage) } }
        try await save(open, copy, keeping, on: stage)
        if ended.isAbsent, !isAsked {
            throw Failure(
                "\(document.harmless): the editor returned at once, and nothing was saved; its file is "
                    + copy.path,
                advice: "tell it to wait until the file is closed, as by EDITOR='code --wait'")
        }
        try copy.remove()
        if ended.status != 0 {
            throw Failure("the editor ended with \(ended.status); what it saved is saved")
        }
        let revision = open.revision.value
        stage.tell(
            .object(["doc": .text(open.name), "rev": .number(revision)]),
            "\(open.name.harmless): all is saved, at revision \(revision)")
    }

    /// How long a text may be. Where something was kept, nobody waits for a server to say so.
    private func textLimit(_ client: LiveClient, on stage: Stage) async throws -> Int {
        let isKept = client.unsavedDocuments.contains { $0.utf8.elementsEqual(document.utf8) }
        do {
            try await stage.requireServer()
            if isKept {
                stage.note("\(document.harmless): goes on with the text that was not saved the last time")
            }
            return try await client.welcome().limits.document
        } catch ConnectionFault.unreachable(let address, let reason) where isKept {
            stage.note(
                "\(document.harmless): goes on with the text that was not saved the last time; "
                    + "the server cannot be reached (\(address): \(reason)), and gets it once it can")
            return Limits.Announced().document
        }
    }

    /// Waits until everything is on the server, and says so where that takes a server that is not there.
    private func save(
        _ open: LiveDocument, _ copy: LiveCopy, _ keeping: Bool, on stage: Stage
    ) async throws {
        if keeping { try await open.kept() }
        let telling = Task {
            let updates = open.updates
            var isWaiting = open.state.isWaiting
            if !isWaiting {
                for await case .state(let state) in updates where state.isWaiting {
                    isWaiting = true
                    break
                }
            }
            if !isWaiting || Task.isCancelled { return }
            stage.complain(
                Failure(
                    "\(document.harmless): not saved yet: the server cannot be reached; your text is in \(copy.path)",
                    advice: "this waits for the server; Ctrl-C ends it, and the text stays",
                    code: .unreachable))
        }
        defer { telling.cancel() }
        do {
            try await open.saved()
            // What was kept is forgotten by then.
            if keeping { try await open.kept() }
        } catch let refused as RefusedEdits {
            throw Failure("\(document.harmless): \(refused)", advice: "your text is in \(copy.path)")
        }
    }

    private func sayInterrupted(_ copy: LiveCopy, _ keeping: Bool, on stage: Stage) {
        let name = document.harmless
        stage.complain(
            Failure(
                "\(name): interrupted, and not all is saved on the server; your text is in \(copy.path)",
                advice: keeping
                    ? "caret edit \(name) goes on with it" : "caret put \(name) \(copy.path) saves it"))
    }

    private func waitForReturn(on stage: Stage) async {
        stage.note(
            "the editor returned at once, and nothing was saved; if it is open in a window of its own, save there, and "
                + "press Return here at the end")
        await withCheckedContinuation { waiter in
            // It blocks a thread for as long as somebody edits.
            DispatchQueue(label: "return").async {
                _ = readLine()
                waiter.resume()
            }
        }
    }
}

extension SavingState {
    /// Nothing is saved before a server is there.
    fileprivate var isWaiting: Bool {
        switch self {
        case .offline, .opening: true
        case .saved, .sending, .refused: false
        }
    }
}
