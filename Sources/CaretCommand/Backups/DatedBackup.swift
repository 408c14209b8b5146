import CaretClient
import CaretLog
import CaretStore
import CaretSync
import FoundationEssentials
import Glibc

/// Makes a backup with a dated name in a folder, and then removes the oldest backups there.
struct DatedBackup {
    /// The data folder of the server.
    let data: String
    let folder: String
    /// How many backups stay in the folder; nil for all.
    let keep: Int?

    func run(_ backup: Backup, in context: CommandContext) async throws -> ExitCode {
        let (backups, now) = (try BackupFolder(folder), Date.now)
        let partial = backups.partialPath()
        // After success there is no partial file.
        defer { unlink(partial) }
        let documents: Int
        if try await context.hasRunningServer(data) {
            documents = try await adopt(backup, into: backups, as: partial, in: context)
        } else {
            let report = try await backup.copy(data, to: partial, named: folder, in: context)
            if !report.isSound { return report.show(in: context) }
            documents = report.documents
        }
        let name: BackupName
        do throws(FileFault) { name = try backups.publish(partial, at: now) } catch {
            throw DatedBackup.failure("\(error)")
        }
        var removed: [String] = []
        let removal = Result {
            try removeSurplus(of: backups, with: name, in: context) { removed.append($0) }
        }
        show(backups.path(of: name), documents, removed, in: context)
        if case .failure(let error) = removal {
            throw Failure(
                Failure(error).message, advice: "the new backup is complete; remove the old ones yourself")
        }
        return .done
    }

    private static func failure(_ message: String) -> Failure {
        Failure(message, advice: "there is no new backup; the old ones were left alone")
    }

    /// Lets the server make a backup, and moves it to the partial file. Returns the number of documents.
    private func adopt(
        _ backup: Backup, into backups: BackupFolder, as partial: String, in context: CommandContext
    ) async throws -> Int {
        let made = try await backup.make(in: context)
        let source = try Backup.path(of: made, in: data)
        do throws(FileFault) {
            try backups.adopt(source, as: partial)
        } catch {
            // A timer would otherwise fill the disk of the server with one copy a day.
            unlink(source)
            throw DatedBackup.failure("\(folder): \(error.reason)")
        }
        return made.documents
    }

    private func removeSurplus(
        of backups: BackupFolder, with new: BackupName, in context: CommandContext,
        removed: (String) -> Void
    ) throws {
        guard let keep else { return }
        try backups.removeSurplus(
            keeping: keep, with: new,
            skip: { context.note("\($0): not a whole backup; it was neither counted nor removed") },
            removed: removed)
    }

    private func show(
        _ path: String, _ documents: Int, _ removed: [String], in context: CommandContext
    ) {
        var status = stat()
        // The file was just written, so its size is known.
        let bytes = stat(path, &status) == 0 ? Int(status.st_size) : 0
        if context.isJSON {
            return context.show(
                .object([
                    "file": .text(path), "bytes": .number(bytes), "documents": .number(documents),
                    "removed": .list(removed.map { .text($0) }),
                ]))
        }
        context.output.write(Backup.line(path, bytes, documents))
        for path in removed { context.output.write("removed \(path)\n") }
    }
}
