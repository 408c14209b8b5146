import CaretClient
import CaretSync
import CaretWire

/// Keeps a folder of files in sync with documents, in both directions.
struct Sync: Subcommand {
    private static let once = Option("once", "brings folder and server together, and ends")
    private static let adopt = Option(
        "adopt", "syncs the folder with this server from now on, though it was synced with another one")

    static let description = CommandDescription(
        "sync", "keeps a folder of files and documents together, both ways, as they change",
        details: """
            What is saved in the folder is pushed and merged with what others have changed; what they change comes into \
            the files. New, renamed and deleted files and documents follow each other. Hidden files, what is not UTF-8 \
            text and what is too large are left alone. What it must know lies in FOLDER/.caret, so that it may be ended \
            at any moment and goes on where it was. Files that it removes go into a trash: see `caret trash list`. A server \
            with another store than before ends it, and nothing is changed; --adopt goes on with that server and keeps every \
            line of both sides. With --once it ends with 1 where the server refused a file or one could \
            not be read or written: the others are brought together all the same.
            """,
        arguments: [
            Argument("FOLDER", .folder, "the folder of files, made where it is missing"),
            Argument(
                "PREFIX", .document, isOptional: true,
                "documents whose names begin with it and a slash; without it, all"),
        ], options: [once, adopt])

    private let folder: String
    private let names: SyncNames
    private let isOnce: Bool
    private let isAdopting: Bool

    init(_ arguments: Arguments) {
        folder = arguments.required(0)
        names = SyncNames(prefix: arguments.optional(1) ?? "")
        isOnce = arguments.has(Sync.once)
        isAdopting = arguments.has(Sync.adopt)
    }

    /// How one sync ended.
    private enum End {
        case done(isWhole: Bool)
        /// The server has another store than the one the folder was synced with.
        case otherStore(SyncState)
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        try SystemFile.makeFolder(folder)
        try SyncNesting.check(folder)
        var state = try SyncState(in: folder, prefix: names.prefix)
        if !isOnce { await warnIfUnreachable(in: context) }
        if state.store == nil { state = try await meet(state, in: context) }
        while true {
            switch try await sync(state, in: context) {
            case .done(let isWhole): return isWhole ? .done : .failed
            case .otherStore(let last): state = try await meet(last, in: context)
            }
        }
    }

    private func sync(_ state: SyncState, in context: CommandContext) async throws -> End {
        try await context.stayConnected(as: state.clientID, once: isOnce, store: state.store) { client in
            var latest: Syncer?
            do {
                let welcome = try await client.welcome()
                let syncer = Syncer(
                    ConnectedServer(client: client, user: welcome.client?.string), names,
                    SyncFolder(root: folder, limit: welcome.limits.document), state
                ) { what, path, document in
                    context.report(what.json(path, document), what.line(path, context.style))
                }
                latest = syncer
                let run = SyncRun(client, syncer, names) { context.report($0, folder, names) }
                return .done(isWhole: try await run.run(once: isOnce))
            } catch ConnectionFault.otherStore {
                return .otherStore(await latest?.state ?? state)
            } catch is StoreChanged {
                return .otherStore(await latest?.state ?? state)
            }
        }
    }

    /// Reads the id of the server's store, and records it for the folder if that is safe.
    private func meet(_ state: SyncState, in context: CommandContext) async throws -> SyncState {
        var state = state
        let address = context.target.address
        let meeting = try await context.stayConnected(as: state.clientID, once: isOnce) { client in
            try await StoreMeeting(client, prefix: names.prefix)
        }
        switch meeting.verdict(on: state) {
        case .same:
            throw Failure(
                "\(address): its documents are not those of its store, \(meeting.store)",
                advice: "restart the server, and look into its log")
        case .first, .restored: break
        case .other(let known):
            if isAdopting { break }
            throw Failure(
                "\(folder): it was synced with the store \(known), and the server at \(address) has another one, \(meeting.store)",
                advice: """
                    nothing was changed. If this is the right server, pass --adopt: every line of both sides is kept.
                      If it is not, say the right one, or sync another folder with this one
                    """)
        }
        try state.begin(with: meeting.store)
        return state
    }

    /// Tells the user that the server is missing. Otherwise a waiting sync would look like a working one.
    private func warnIfUnreachable(in context: CommandContext) async {
        do {
            try await context.requireServer()
        } catch let fault as ConnectionFault {
            guard case .unreachable = fault else { return }
            let failure = Failure(fault as any Error)
            let advice = failure.advice.map { "  \($0)\n" } ?? ""
            context.notes.write(
                "caret: \(failure.message); it is tried again until it can be reached\n\(advice)")
            // If this write fails, there is no other place to report it.
            _ = context.notes.flush()
        } catch {
            // All other errors end the sync, which reports them.
        }
    }
}

extension CommandContext {
    /// For users the status goes to standard error, because the output lists the changed files.
    fileprivate func report(_ status: SyncStatus, _ folder: String, _ names: SyncNames) {
        if isJSON { return report(status.json(folder, target.address, names), "") }
        notes.write("caret: \(status.line(folder, target.address, names))\n")
        // If this write fails, there is no other place to report it.
        _ = notes.flush()
    }
}
