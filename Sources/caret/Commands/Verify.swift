import CaretLog
import CaretStore

/// Reads the whole store of a stopped server, and tells what is damaged.
struct Verify: Subcommand {
    static let description = CommandDescription(
        "verify", "checks the data folder of a stopped server, or a backup, from end to end",
        details: "It changes nothing, and ends with 4 where something is damaged. --data says which folder.",
        arguments: [Argument("BACKUP", .file, isOptional: true, "a file that caret backup made")])

    private let backup: String?

    init(_ given: Given) throws(UsageFault) {
        backup = given.optionalArgument(0)
        if backup == nil, !given.has(CommonOptions.data) { throw given.fault(.missingArgument("--data DIR")) }
        if backup != nil, given.has(CommonOptions.data) {
            throw given.fault(.together("BACKUP", CommonOptions.data.flag))
        }
    }

    func run(on stage: Stage) async throws -> ExitCode {
        let progress = ProgressLine(stage.notes)
        let report = try check(stage.place) { state in
            progress.show(
                "\(state.documents) of \(state.allDocuments) documents, \(state.revisions) revisions")
        }
        progress.end()
        return report.show(on: stage)
    }

    private func check(_ place: Place, _ progress: (CheckProgress) -> Void) throws -> CheckReport {
        if let backup {
            do throws(OpeningFault) {
                return try SQLiteStore.verify(backup: backup, progress: progress)
            } catch {
                throw Failure(error, in: backup)
            }
        }
        guard case .folder(let folder) = place else { preconditionFailure("verify without a folder") }
        try FolderServer.requireStore(folder)
        do throws(OpeningFault) {
            return try SQLiteStore.verify(folder: folder, progress: progress)
        } catch {
            throw Failure(error, in: folder)
        }
    }
}

extension CheckReport {
    func show(on stage: Stage) -> ExitCode {
        if stage.isJSON {
            stage.show(
                .object([
                    "sound": .bool(isSound), "documents": .number(documents), "revisions": .number(revisions),
                    "snapshots": .number(snapshots), "pushers": .number(pushers), "tokens": .number(tokens),
                    "findings": .list(findings.map(\.json)),
                ]))
            return isSound ? .done : .no
        }
        for finding in findings { stage.output.write(finding.words + "\n") }
        stage.output.write(
            "\(isSound ? "sound" : "\(findings.count) findings"): \(documents) documents, \(revisions) revisions, "
                + "\(snapshots) snapshots, \(pushers) pushers, \(tokens) tokens\n")
        return isSound ? .done : .no
    }
}

extension CheckReport.Finding {
    fileprivate var words: String { "\(name.map { $0.description.harmless } ?? "the store"): \(fault.words)" }

    fileprivate var json: JSON {
        .object(["doc": name.map { .text($0.description) } ?? .null, "fault": .text(fault.words)])
    }
}

extension CheckReport.Fault {
    fileprivate var words: String {
        switch self {
        case .file(let message): "the file: \(message)"
        case .row: "its row is not as it was written"
        case .history: "its history is not as it was written"
        case .snapshot(let revision): "the snapshot at revision \(revision) is not the text of its history"
        case .pusher: "what is remembered of a pusher is not as it was written"
        case .orphans(let table): "rows of the table \(table) belong to no document"
        case .token(let token): "the token \(token.value) is not as it was written"
        case .stopped: "the check did not come to its end"
        case .unread(let fault): "it cannot be read: \(fault.message)"
        }
    }
}
