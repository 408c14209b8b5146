import CaretClient
import CaretStore
import CaretSync
import FoundationEssentials
import Glibc

/// Copies the store into one file.
struct Backup: Subcommand {
    static let description = CommandDescription(
        "backup", "copies the store into one new file, which is checked; the server may run meanwhile",
        details: """
            Without FILE the copy is made in the folder backups of the data folder, by the server where one runs. With FILE, \
            which wants --data, it becomes that file. To put it back, make it the caret.sqlite of a folder from which \
            caret.sqlite-wal was moved away.
            """,
        arguments: [Argument("FILE", .file, isOptional: true, "the new file")])

    private let path: String?

    init(_ given: Given) throws(UsageFault) {
        path = given.optionalArgument(0)
        // A server writes nowhere but into its own folder, and over the network nobody moves the file from there.
        if path != nil, !given.has(CommonOptions.data) {
            throw given.fault(.missingArgument("--data DIR"))
        }
    }

    func run(on stage: Stage) async throws -> ExitCode {
        guard let path else { return show(try await make(on: stage), at: nil, on: stage) }
        guard case .folder(let folder) = stage.place else { preconditionFailure("backup without a folder") }
        if access(path, F_OK) == 0 { throw Backup.exists(path) }
        if try await !stage.isServed(folder) { return try await copy(folder, to: path, on: stage) }
        let made = try await make(on: stage)
        // The server says the name, and it must not lead elsewhere.
        guard (try? DocumentPath(of: made.file))?.parts.count == 1 else {
            throw Failure("the server called its backup \(made.file.harmless), which is no name of a file")
        }
        let source = folder + "/backups/" + made.file
        do throws(MoveFault) { try MovedFile.move(source, to: path) } catch {
            throw Backup.failure(error, of: source, to: path)
        }
        return show(made, at: path, on: stage)
    }

    private static func exists(_ path: String) -> Failure {
        Failure("\(path): it is there, and left alone", advice: "say another name")
    }

    static func failure(_ fault: MoveFault, of source: String, to path: String) -> Failure {
        switch fault {
        case .notMoved(let fault) where fault.isExisting: Backup.exists(path)
        case .notMoved(let fault):
            Failure("\(fault.path): \(fault.reason)", advice: "the backup was made, and is \(source)")
        case .notSynced(let fault):
            Failure(
                "\(path): the backup is there, but its folder could not be synced: \(fault.reason)",
                advice: "run sync: until then a power loss may take the backup away")
        }
    }

    // MARK: By a server

    private func make(on stage: Stage) async throws -> StoreBackup {
        let progress = ProgressLine(stage.notes)
        defer { progress.end() }
        return try await stage.reach { client in
            try await client.backUp { progress.show($0.done, of: $0.all, "page") }
        }
    }

    private func show(_ made: StoreBackup, at path: String?, on stage: Stage) -> ExitCode {
        let place =
            switch stage.place {
            case .folder(let folder): path ?? "\(folder)/backups/\(made.file)"
            case .server: "backups/\(made.file) in the server's data folder"
            }
        if stage.isJSON {
            let file: JSON
            if case .folder = stage.place { file = .text(place) } else { file = .text(made.file) }
            stage.show(
                .object([
                    "file": file, "bytes": .number(made.bytes), "documents": .number(made.documents),
                ]))
        } else {
            stage.output.write(
                "\(place): sound, \(made.documents.counting("document")), \(made.bytes.counting("byte"))\n")
        }
        return .done
    }

    // MARK: Of a stopped server

    private func copy(_ folder: String, to path: String, on stage: Stage) async throws -> ExitCode {
        let store = try FolderServer.store(folder)
        let result = await copied(store, to: path, on: stage)
        await store.closed()
        switch result {
        case .success(let report): return report.show(on: stage)
        case .failure(.exists): throw Backup.exists(path)
        case .failure(.system(let code)): throw Failure("\(path): \(String(cString: strerror(code)))")
        case .failure(.database(let fault)): throw Failure("\(path): \(fault.message)")
        case .failure(.damaged(let report)):
            stage.complain(Failure("\(folder): the store is damaged; there is no backup", code: .no))
            return report.show(on: stage)
        }
    }

    private func copied(
        _ store: SQLiteStore, to path: String, on stage: Stage
    ) async -> Result<CheckReport, BackupFault> {
        let progress = ProgressLine(stage.notes)
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
