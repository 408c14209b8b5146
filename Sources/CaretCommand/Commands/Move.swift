import CaretFormat
import CaretLog
import CaretPostgres
import CaretStore
import FoundationEssentials
import Glibc

/// Moves a store from a data folder to PostgreSQL, or back.
struct Move: Subcommand {
    private static let from = Option("from", value: "STORE", "where the documents are")
    private static let to = Option(
        "to", value: "STORE", "where the documents will be; it must be new or empty")
    private static let allowUnreplicated = Option(
        "allow-unreplicated", "moves to a PostgreSQL without a synchronous standby")
    private static let undo = Option(
        "undo", "after an unfinished move, lets servers use the store of --from again; not with --to")

    static let description = CommandDescription(
        "move", "moves all documents from a data folder to a PostgreSQL database, or back",
        details: """
            STORE is a data folder, or an address such as postgres://caret@db.example/caret. One of the two is a folder. \
            Stop all servers of the store first. The command moves histories, deleted documents, tokens, names of \
            revisions, and the record of each client's last push. Clients continue where they were. The command checks the \
            old store, and compares the new one with it. After success, servers refuse to start on the old store. If \
            nothing was moved, the old store can be used as before. If the command was killed, run it again: it finishes \
            the move, or begins it again if the copy is not complete. Meanwhile servers may refuse the old store, and \
            --undo ends that. The configuration and the folder of backups are not moved.
            """,
        options: [from, to, allowUnreplicated, undo])

    private enum Place {
        case folder(String)
        case postgres(PostgresAddress)
    }

    private enum Direction {
        case toPostgres(String, PostgresAddress)
        case toFolder(PostgresAddress, String)
        case undo(Place)
    }

    private let direction: Direction
    /// As the user wrote them.
    private let (source, target): (String, String)
    private let allowsUnreplicated: Bool

    init(_ arguments: Arguments) throws(UsageFault) {
        for option in [CommonOptions.data, CommonOptions.server, CommonOptions.socket]
        where arguments.has(option) {
            throw arguments.fault(.conflict(option.flag, Move.from.flag))
        }
        source = try Move.text(Move.from, arguments)
        allowsUnreplicated = arguments.has(Move.allowUnreplicated)
        let from = try Move.place(source, Move.from, arguments)
        if arguments.has(Move.undo) {
            for option in [Move.to, Move.allowUnreplicated] where arguments.has(option) {
                throw arguments.fault(.conflict(option.flag, Move.undo.flag))
            }
            target = ""
            direction = .undo(from)
            return
        }
        target = try Move.text(Move.to, arguments)
        switch (from, try Move.place(target, Move.to, arguments)) {
        case (.folder(let folder), .postgres(let address)): direction = .toPostgres(folder, address)
        case (.postgres(let address), .folder(let folder)): direction = .toFolder(address, folder)
        case (.folder, .folder):
            throw arguments.fault(
                .badValue(Move.to.flag, found: target, expected: "an address that begins with postgres://"))
        case (.postgres, .postgres):
            throw arguments.fault(.badValue(Move.to.flag, found: target, expected: "a data folder"))
        }
    }

    private static func text(_ option: Option, _ arguments: Arguments) throws(UsageFault) -> String {
        guard let text = arguments.text(option), !text.isEmpty else {
            throw arguments.fault(.missingArgument(option.usage))
        }
        return text
    }

    private static func place(
        _ text: String, _ option: Option, _ arguments: Arguments
    ) throws(UsageFault) -> Place {
        if !PostgresAddress.isAddress(text) { return .folder(text) }
        do throws(PostgresAddress.Invalid) { return .postgres(try PostgresAddress(text)) } catch {
            // The rest may contain a password.
            throw arguments.fault(
                .badValue(option.flag, found: "postgres://…", expected: "an address of PostgreSQL: \(error)"))
        }
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        switch direction {
        case .toPostgres(let folder, let address):
            if DataFolder.unfinishedMove(in: folder) == nil {
                // Updates the schema and empties the log, as at the start and end of a server.
                await (try FolderServer.store(folder)).close()
            } else {
                try FolderServer.requireOwner(folder)
            }
            return try move(in: context) { () throws(StoreMoveFault) in
                (
                    try SQLiteMoveSource(folder),
                    try PostgresMoveTarget(address, allowsUnreplicated: allowsUnreplicated)
                )
            }
        case .toFolder(let address, let folder):
            if mkdir(folder, 0o700) != 0, errno != EEXIST {
                throw Failure("\(folder): \(String(cString: strerror(errno)))")
            }
            try FolderServer.requireOwner(folder)
            return try move(in: context) { () throws(StoreMoveFault) in
                (try PostgresMoveSource(address), try SQLiteMoveTarget(folder))
            }
        case .undo(.folder(let folder)):
            try FolderServer.requireOwner(folder)
            if DataFolder.unfinishedMove(in: folder) == nil {
                try FolderServer.requireStore(folder)
                throw Failure("\(source): \(Move.nothingToUndo)")
            }
            return try undo(in: context) { () throws(StoreMoveFault) in try SQLiteMoveSource(folder) }
        case .undo(.postgres(let address)):
            return try undo(in: context) { () throws(StoreMoveFault) in try PostgresMoveSource(address) }
        }
    }

    private static let nothingToUndo = "there is no unfinished move to undo, so servers can use this store"

    private func undo<Source: MoveSource>(
        in context: CommandContext, _ open: () throws(StoreMoveFault) -> Source
    ) throws -> ExitCode {
        do throws(StoreMoveFault) {
            let store = try open()
            guard let move = store.unfinishedMove else { throw .failed(Move.nothingToUndo) }
            try store.unblockServers()
            if context.isJSON {
                context.show(.object(["from": .text(source), "undone": .bool(true)]))
                return .done
            }
            context.output.write(
                """
                \(source.printable): \(move.printable); it is undone, and servers can use this store again
                do not start servers on the other store: it may have a copy

                """)
            return .done
        } catch {
            switch error {
            case .failed(let message, let advice): throw Failure("\(source): \(message)", advice: advice)
            case .unfinished(let message, let advice): throw Failure("\(source): \(message)", advice: advice)
            case .damaged: throw Failure("\(source): the store is damaged")
            }
        }
    }

    private func move<Source: MoveSource, Target: MoveTarget>(
        in context: CommandContext, _ open: () throws(StoreMoveFault) -> (Source, Target)
    ) throws -> ExitCode {
        let progress = ProgressLine(context.notes)
        defer { progress.end() }
        do throws(StoreMoveFault) {
            let (from, to) = try open()
            let note = MoveNote(target: target, day: String(Stamp.universal(.now).prefix(10)))
            let moved = try StoreMove(from: from, to: to, note) { stage, done, all in
                progress.show(stage.words, Progress(done, of: all))
            }.run()
            progress.end()
            show(moved.report, moved.copy, in: context)
            return .done
        } catch {
            switch error {
            case .damaged(let report):
                progress.end()
                context.warn(
                    Failure(
                        "\(source): the store is damaged, so nothing was moved",
                        advice: "restore a backup, or export what can be read"))
                return report.show(in: context)
            case .failed(let message, let advice):
                throw Failure("nothing was moved: \(message)", advice: advice)
            case .unfinished(let message, let advice): throw Failure(message, advice: advice)
            }
        }
    }

    private func show(_ moved: CheckReport, _ copy: MoveOutcome.Copy, in context: CommandContext) {
        if context.isJSON {
            return context.show(
                .object([
                    "from": .text(source), "to": .text(target), "documents": .number(moved.documents),
                    "revisions": .number(moved.revisions), "snapshots": .number(moved.snapshots),
                    "pushers": .number(moved.pushers), "tokens": .number(moved.tokens),
                    "copied_before": .bool(copy != .made),
                    "changed_since": .bool(copy == .found(isChanged: true)),
                ]))
        }
        let option = if case .toPostgres = direction { "--store '\(target)'" } else { "--data \(target)" }
        let counts =
            "\(moved.documents.counting("document")), \(moved.revisions.counting("revision")), "
            + moved.tokens.counting("token")
        var lines =
            switch copy {
            case .made: ["\(target): moved \(counts)"]
            case .found:
                [
                    "\(target): an earlier run has copied everything; this store has \(counts)",
                    "\(source): not changed since the copy; the move is finished, so servers refuse this store",
                ]
            }
        if copy == .found(isChanged: true) {
            lines.insert("\(target): changed since the copy; these changes are kept", at: 1)
        }
        lines.append("start the servers with \(option)")
        context.output.write(lines.map { "\($0.printable)\n" }.joined())
    }
}

extension StoreMove.Stage {
    fileprivate var words: String {
        switch self {
        case .checking: "checking the store"
        case .copying: "copying"
        case .comparing: "comparing the copy"
        case .checkingCopy: "checking the copy"
        }
    }
}
