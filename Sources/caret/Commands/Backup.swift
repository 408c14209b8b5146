import CaretStore
import FoundationEssentials
import Glibc

/// Copies the store of a stopped server into one file.
struct Backup: Subcommand {
    static let description = CommandDescription(
        "backup", "copies the store of a stopped server into one new file, which is then checked",
        details: """
            --data says which folder. To put it back, make it the caret.sqlite of a folder from which caret.sqlite-wal was \
            moved away.
            """,
        arguments: [Argument("FILE", .file, "the new file")])

    private let path: String

    init(_ given: Given) throws(UsageFault) {
        path = given.argument(0)
        if !given.has(CommonOptions.data) { throw given.fault(.missingArgument("--data DIR")) }
    }

    func run(on stage: Stage) async throws -> ExitCode {
        guard case .folder(let folder) = stage.place else { preconditionFailure("backup without a folder") }
        let progress = ProgressLine(stage.notes)
        let store = try FolderServer.store(folder) { event in
            if case .copying(let pages, let all) = event { progress.show("\(pages) of \(all) pages") }
        }
        let now = Int64(Date.now.timeIntervalSince1970 * 1_000)
        let result: Result<CheckReport, BackupFault>
        do throws(BackupFault) {
            result = .success(try await store.backUp(to: path, at: now))
        } catch {
            result = .failure(error)
        }
        await store.closed()
        progress.end()
        switch result {
        case .success(let report): return report.show(on: stage)
        case .failure(.exists):
            throw Failure("\(path): it is there, and left alone", advice: "say another name")
        case .failure(.system(let code)): throw Failure("\(path): \(String(cString: strerror(code)))")
        case .failure(.database(let fault)): throw Failure("\(path): \(fault.message)")
        case .failure(.damaged(let report)):
            stage.notes.write("caret: \(folder): the store is damaged; there is no backup\n")
            return report.show(on: stage)
        }
    }
}
