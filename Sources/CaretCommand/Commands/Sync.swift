import CaretClient
import CaretSync
import CaretWire

/// Keeps a folder of files in sync with documents, in both directions.
struct Sync: Subcommand {
    private static let once = Option("once", "syncs once, and ends")
    private static let adopt = Option(
        "adopt", "syncs the folder with this server, although it was synced with another server")

    static let description = CommandDescription(
        "sync", "keeps a folder of files in sync with documents, in both directions",
        details: """
            Files saved in the folder are pushed and merged with the changes of others. Changes of others are written to the \
            files. New, renamed and deleted files and documents are carried over in both directions. Hidden files, files \
            that are not UTF-8 text, files that are too large, and those that FOLDER/.caretignore excludes are left alone. The state of the sync is kept in \
            FOLDER/.caret, so you can end it at any moment and start it again. Removed files go to a trash: see `caret trash \
            list`. If the server has another store than before, the sync ends and changes nothing. With --adopt it continues \
            with that server and keeps every line of the files and documents. With --once the exit code is 1 if the server \
            refused a file, or a file could not be read or written. All other files are synced.
            """,
        arguments: [
            Argument("FOLDER", .folder, "the folder of files, which is created if missing"),
            Argument(
                "PREFIX", .document, isOptional: true,
                "only documents whose names begin with PREFIX and a slash"),
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
    private enum Outcome {
        case done(isFullySynced: Bool)
        /// The server's store is not the one that the folder was synced with.
        case otherStore(SyncState)
        /// The server has an older state of its store.
        case putBack(SyncState)
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        try SystemFile.makeFolder(folder)
        try SyncNesting.check(folder)
        var state = try SyncState(in: folder, prefix: names.prefix)
        if !isOnce { await warnIfUnreachable(in: context) }
        if state.store == nil { state = try await bindStore(state, in: context) }
        while true {
            switch try await sync(state, in: context) {
            case .done(let isFullySynced): return isFullySynced ? .done : .failed
            case .otherStore(let last): state = try await bindStore(last, in: context)
            case .putBack(let last):
                context.report(.putBack, folder, names)
                state = last
                try state.startOver()
            }
        }
    }

    private func sync(_ state: SyncState, in context: CommandContext) async throws -> Outcome {
        try await context.stayConnected(as: state.clientID, once: isOnce, store: state.store) { client in
            var latest: Syncer?
            do {
                let welcome = try await client.welcome()
                let syncer = Syncer(
                    ConnectedServer(client: client, publicClient: welcome.client?.string), names,
                    SyncFolder(root: folder, limit: welcome.limits.document), state
                ) { what, path, document in
                    context.report(what.json(path, document), what.line(path, context.style))
                }
                latest = syncer
                let run = SyncRun(client, syncer, names) { context.report($0, folder, names) }
                return .done(isFullySynced: try await run.run(once: isOnce))
            } catch ConnectionFault.otherStore {
                return .otherStore(await latest?.state ?? state)
            } catch is StoreChanged {
                return .otherStore(await latest?.state ?? state)
            } catch is StorePutBack {
                return .putBack(await latest?.state ?? state)
            }
        }
    }

    /// Reads the id of the server's store, and records it for the folder. Throws if the folder was synced
    /// with another store and `--adopt` was not given.
    private func bindStore(_ state: SyncState, in context: CommandContext) async throws -> SyncState {
        var state = state
        let address = context.target.addressList
        let comparison = try await context.stayConnected(as: state.clientID, once: isOnce) { client in
            try await StoreComparison(client, prefix: names.prefix)
        }
        switch comparison.outcome(on: state) {
        case .same:
            throw Failure(
                "\(address): the server reports the store \(comparison.store), but its documents differ from that store",
                advice: "restart the server, and see its log")
        case .first, .restored: break
        case .other(let known):
            if isAdopting { break }
            throw Failure(
                "\(folder): it was synced with the store \(known), but the server at \(address) has the store \(comparison.store)",
                advice: """
                    nothing was changed. If this is the right server, pass --adopt: every line of the files and documents is kept.
                      If it is not, pass the address of the right server, or sync another folder with this server
                    """)
        }
        try state.bind(to: comparison.store)
        return state
    }

    /// Warns if the server cannot be reached. Without the warning a waiting sync would look like a working
    /// one.
    private func warnIfUnreachable(in context: CommandContext) async {
        do {
            try await context.requireServer()
        } catch let fault as ConnectionFault {
            guard fault.isUnreachable else { return }
            let failure = Failure(fault as any Error)
            let advice = failure.advice.map { "  \($0)\n" } ?? ""
            context.notes.write(
                "caret: \(failure.message); retrying until it can be reached\n\(advice)")
            // If this write fails, there is no other place to report it.
            _ = context.notes.flush()
        } catch {
            // This method reports only an unreachable server. The sync itself reports every other error.
        }
    }
}

extension CommandContext {
    /// Reports the status of the sync. Without `--json` the status goes to standard error, because standard
    /// output lists the changed files.
    fileprivate func report(_ status: SyncStatus, _ folder: String, _ names: SyncNames) {
        if isJSON { return report(status.json(folder, target.addressList, names), "") }
        notes.write("caret: \(status.line(folder, target.addressList, names))\n")
        // If this write fails, there is no other place to report it.
        _ = notes.flush()
    }
}
