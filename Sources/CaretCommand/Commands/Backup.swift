import CaretClient
import CaretLog
import CaretStore
import CaretSync
import FoundationEssentials
import Glibc

/// Copies the store to one file.
struct Backup: Subcommand {
    private static let into = Option(
        "into", value: "FOLDER",
        "makes a backup in this folder, with the time in the file name; needs --data")

    private static let keep = Option(
        "keep", value: "N",
        "after success, removes all but the newest N such backups from the folder of --into")

    static let description = CommandDescription(
        "backup", "copies the store to one new file, and checks the copy; the server can keep running",
        details: """
            Without FILE the server makes the copy in the subfolder backups of its data folder. With FILE and --data, the \
            copy is moved to FILE. With --into, the copy is named caret-backup-DATE-TIME.sqlite, in UTC. With --keep, only \
            files with such names are removed. If the backup fails, no file is removed. To restore a backup, stop the server \
            and move caret.sqlite-wal away. Then replace caret.sqlite in the data folder with the backup.
            """,
        arguments: [Argument("FILE", .file, isOptional: true, "the new file; needs --data")],
        options: [into, keep])

    private enum Destination {
        /// The server's own folder of backups.
        case server
        case file(String)
        /// A dated file in this folder. If `keep` is nil, no old backup is removed.
        case folder(String, keep: Int?)
    }

    private let destination: Destination

    init(_ arguments: Arguments) throws(UsageFault) {
        let keep = try arguments.number(Backup.keep, in: 1...Int.max)
        switch (arguments.optional(0), arguments.text(Backup.into)) {
        case (_?, _?): throw arguments.fault(.conflict("FILE", Backup.into.flag))
        case (nil, let folder?): destination = .folder(folder, keep: keep)
        case (_, nil) where keep != nil: throw arguments.fault(.missingArgument(Backup.into.usage))
        case (let path?, nil): destination = .file(path)
        case (nil, nil): destination = .server
        }
        // A server writes only to its own folder, and a remote client cannot move the file from there.
        if case .server = destination { return }
        if !arguments.has(CommonOptions.data) { throw arguments.fault(.missingArgument("--data DIR")) }
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        switch (destination, context.target) {
        case (.server, _): return show(try await make(in: context), at: nil, in: context)
        case (.file(let path), .folder(let data)): return try await backUp(data, to: path, in: context)
        case (.folder(let folder, let keep), .folder(let data)):
            return try await DatedBackup(data: data, folder: folder, keep: keep).run(self, in: context)
        case (.file, .servers), (.folder, .servers):
            preconditionFailure("a destination was accepted although --data is missing")
        }
    }

    // MARK: To a file

    private func backUp(_ data: String, to path: String, in context: CommandContext) async throws -> ExitCode
    {
        if access(path, F_OK) == 0 { throw Backup.exists(path) }
        if try await !context.hasRunningServer(data) {
            return try await copy(data, to: path, named: path, in: context).show(in: context)
        }
        let made = try await make(in: context)
        let source = try Backup.path(of: made, in: data)
        do throws(MoveFault) { try MovedFile.move(source, to: path) } catch {
            throw Backup.failure(error, of: source, to: path)
        }
        return show(made, at: path, in: context)
    }

    private static func exists(_ path: String) -> Failure {
        Failure("\(path): already exists", advice: "choose another name")
    }

    private static func failure(_ fault: MoveFault, of source: String, to path: String) -> Failure {
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

    /// Makes the server copy its store into its own folder of backups.
    func make(in context: CommandContext) async throws -> StoreBackup {
        let progress = ProgressLine(context.notes)
        defer { progress.end() }
        return try await context.withClient { client in
            try await client.backUp { progress.show($0.done, of: $0.all, "page") }
        }
    }

    /// The path of a backup in the server's own folder of backups.
    static func path(of made: StoreBackup, in data: String) throws(Failure) -> String {
        // The server chooses the file name. The name must not lead outside the folder `backups`.
        // `try?`: the reason why a name is not a path does not matter here.
        guard (try? DocumentPath(of: made.file))?.parts.count == 1 else {
            throw Failure(
                "the server named its backup \(made.file.printable), which is not a valid file name")
        }
        return data + "/backups/" + made.file
    }

    private func show(_ made: StoreBackup, at path: String?, in context: CommandContext) -> ExitCode {
        let location =
            switch context.target {
            case .folder(let folder): path ?? "\(folder)/backups/\(made.file)"
            case .servers: "backups/\(made.file) in the server's data folder"
            }
        if context.isJSON {
            let file: JSON
            if case .folder = context.target { file = .text(location) } else { file = .text(made.file) }
            context.show(
                .object([
                    "file": file, "bytes": .number(made.bytes), "documents": .number(made.documents),
                ]))
        } else {
            context.output.write(Backup.line(location, made.bytes, made.documents))
        }
        return .done
    }

    static func line(_ location: String, _ bytes: Int, _ documents: Int) -> String {
        "\(location): sound, \(documents.counting("document")), \(bytes.counting("byte"))\n"
    }

    // MARK: Of a stopped server

    /// Copies the store of a stopped server. If the store is damaged, warns and returns the findings. Error
    /// messages call the new file `name`.
    func copy(
        _ folder: String, to path: String, named name: String, in context: CommandContext
    ) async throws -> CheckReport {
        let store = try FolderServer.store(folder)
        let result = await copied(store, to: path, in: context)
        await store.close()
        switch result {
        case .success(let report): return report
        case .failure(.exists): throw Backup.exists(name)
        case .failure(.damaged(let report)):
            context.warn(Backup.damaged(folder))
            return report
        case .failure(let fault) where fault.isDamage: throw Backup.damaged(folder)
        case .failure(let fault) where fault.isOutOfSpace:
            throw Failure("\(name): \(String(cString: strerror(ENOSPC)))", advice: "no backup was made")
        case .failure(.system(let code)): throw Failure("\(name): \(String(cString: strerror(code)))")
        case .failure(.database(let fault)): throw Failure("\(name): \(fault.message)")
        }
    }

    private static func damaged(_ folder: String) -> Failure {
        Failure(
            "\(folder): the store is damaged; no backup was made",
            advice: "`caret verify` lists the damage", code: .negative)
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
