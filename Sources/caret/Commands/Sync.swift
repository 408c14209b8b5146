import CaretClient
import CaretWire

/// Keeps a folder of files together with documents, both ways.
struct Sync: Subcommand {
    private static let once = Option("once", "brings folder and server together, and ends")

    static let description = CommandDescription(
        "sync", "keeps a folder of files and documents together, both ways, as they change",
        details: """
            What is saved in the folder is pushed and merged with what others have changed; what they change comes into \
            the files. New, renamed and deleted files and documents follow each other. Hidden files, what is not UTF-8 \
            text and what is too large are left alone. What it must know lies in FOLDER/.caret, so that it may be ended \
            at any moment and goes on where it was. With --once it ends with 1 where the server refused a file or one could \
            not be read or written: the others are brought together all the same.
            """,
        arguments: [
            Argument("FOLDER", .folder, "the folder of files, made where it is missing"),
            Argument(
                "PREFIX", .document, isOptional: true,
                "documents whose names begin with it and a slash; without it, all"),
        ], options: [once])

    private let folder: String
    private let names: SyncNames
    private let isOnce: Bool

    init(_ given: Given) {
        folder = given.argument(0)
        names = SyncNames(prefix: given.optionalArgument(1) ?? "")
        isOnce = given.has(Sync.once)
    }

    func run(on stage: Stage) async throws -> ExitCode {
        try SystemFile.makeFolder(folder)
        let state = try SyncState(in: folder, prefix: names.prefix)
        if !isOnce { await tellIfUnreachable(on: stage) }
        let isWhole = try await stage.stay(as: state.clientID, once: isOnce) { client in
            let welcome = try await client.welcome()
            let files = SyncFolder(root: folder, limit: welcome.limits.document)
            let syncer = Syncer(client, names, files, state, user: welcome.client?.string) {
                what, path, document in
                stage.tell(what.json(path, document), what.line(path, stage.style))
            }
            return try await syncer.run(once: isOnce)
        }
        return isWhole ? .done : .failed
    }

    /// It waits for a server that is not there yet, which must not look as if it worked.
    private func tellIfUnreachable(on stage: Stage) async {
        do {
            try await stage.requireServer()
        } catch let fault as ConnectionFault {
            guard case .unreachable = fault else { return }
            let failure = Failure(fault as any Error)
            let advice = failure.advice.map { "  \($0)\n" } ?? ""
            stage.notes.write(
                "caret: \(failure.message); it is tried again until it can be reached\n\(advice)")
            // What could not be told has no other place to be told in.
            _ = stage.notes.flush()
        } catch {
            // Whatever else is wrong ends the sync, and is told then.
        }
    }
}
