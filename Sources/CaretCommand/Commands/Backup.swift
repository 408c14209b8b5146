import CaretClient
import CaretStore
import CaretSync
import FoundationEssentials
import Glibc

/// Copies the store to one file.
struct Backup: Subcommand {
    static let description = CommandDescription(
        "backup", "copies the store to one new file, and checks the copy; the server can keep running",
        details: """
            Without FILE the server makes the copy in the subfolder backups of its data folder. With FILE and --data, the \
            copy is moved to FILE. To restore a backup, stop the server and move caret.sqlite-wal away. Then replace \
            caret.sqlite in the data folder with the backup.
            """,
        arguments: [Argument("FILE", .file, isOptional: true, "the new file; needs --data")])

    private let path: String?

    init(_ arguments: Arguments) throws(UsageFault) {
        path = arguments.optional(0)
        // A server writes only to its own folder, and a remote client cannot move the file from there.
        if path != nil, !arguments.has(CommonOptions.data) {
            throw arguments.fault(.missingArgument("--data DIR"))
        }
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        guard let path else { return show(try await make(in: context), at: nil, in: context) }
        guard case .folder(let folder) = context.target else {
            preconditionFailure("FILE was accepted although --data is missing")
        }
        if access(path, F_OK) == 0 { throw Backup.exists(path) }
        if try await !context.hasRunningServer(folder) {
            return try await copy(folder, to: path, in: context)
        }
        let made = try await make(in: context)
        // The server chooses the file name. The name must not lead outside the folder `backups`.
        guard (try? DocumentPath(of: made.file))?.parts.count == 1 else {
            throw Failure(
                "the server named its backup \(made.file.printable), which is not a valid file name")
        }
        let source = folder + "/backups/" + made.file
        do throws(MoveFault) { try MovedFile.move(source, to: path) } catch {
            throw Backup.failure(error, of: source, to: path)
        }
        return show(made, at: path, in: context)
    }

    private static func exists(_ path: String) -> Failure {
        Failure("\(path): already exists", advice: "choose another name")
    }

    static func failure(_ fault: MoveFault, of source: String, to path: String) -> Failure {
        switch fault {
        case .notMoved(let fault) where fault.isExisting: Backup.exists(path)
        case .notMoved(let fault):
            Failure("\(fault.path): \(fault.reason)", advice: "the backup is complete; it is in \(source)")
        case .notSynced(let fault):
            Failure(
                "\(path): the backup is complete, but its folder could not be synced: \(fault.reason)",
                advice: "run the system's `sync` command now: a power loss can still remove the backup")
        }
    }

    // MARK: By a server

    private func make(in context: CommandContext) async throws -> StoreBackup {
        let progress = ProgressLine(context.notes)
        defer { progress.end() }
        return try await context.withClient { client in
            try await client.backUp { progress.show($0.done, of: $0.all, "page") }
        }
    }

    private func show(_ made: StoreBackup, at path: String?, in context: CommandContext) -> ExitCode {
        let location =
            switch context.target {
            case .folder(let folder): path ?? "\(folder)/backups/\(made.file)"
            case .server: "backups/\(made.file) in the server's data folder"
            }
        if context.isJSON {
            let file: JSON
            if case .folder = context.target { file = .text(location) } else { file = .text(made.file) }
            context.show(
                .object([
                    "file": file, "bytes": .number(made.bytes), "documents": .number(made.documents),
                ]))
        } else {
            context.output.write(
                "\(location): sound, \(made.documents.counting("document")), \(made.bytes.counting("byte"))\n"
            )
        }
        return .done
    }

    // MARK: Of a stopped server

    private func copy(_ folder: String, to path: String, in context: CommandContext) async throws -> ExitCode
    {
        let store = try FolderServer.store(folder)
        let result = await copied(store, to: path, in: context)
        await store.close()
        switch result {
        case .success(let report): return report.show(in: context)
        case .failure(.exists): throw Backup.exists(path)
        case .failure(.system(let code)): throw Failure("\(path): \(String(cString: strerror(code)))")
        case .failure(.database(let fault)): throw Failure("\(path): \(fault.message)")
        case .failure(.damaged(let report)):
            context.warn(Failure("\(folder): the store is damaged; no backup was made", code: .negative))
            return report.show(in: context)
        }
    }

    private func copied(
        _ store: SQLiteStore, to path: String, in context: CommandContext
    ) async -> Result<CheckReport, BackupFault> {
        let progress = ProgressLine(context.notes)
        defer { progress.end() }
        let now = Int64(Date.now.milliseconds)
        do throws(BackupFault) {
            return .success(
                try await store.backUp(to: path, at: now) {
                    progress.show($0, of: $1, "page")
                })
        } catch {
            return .failure(error)
        }
    }
}
