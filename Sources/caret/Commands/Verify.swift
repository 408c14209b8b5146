import CaretClient
import CaretLog
import CaretStore

/// Has everything that is kept read, and tells what is damaged.
struct Verify: Subcommand {
    private static let document = Option("document", value: "DOC", "reads one document alone")

    static let description = CommandDescription(
        "verify", "reads all that a server keeps, or a backup, and tells what is not as it was written",
        details: """
            It changes nothing, and ends with 4 where something is damaged. A server that runs does it beside everything; \
            where none runs on the folder that --data says, its files are read.
            """,
        arguments: [Argument("BACKUP", .file, isOptional: true, "a file that caret backup made")],
        options: [document])

    private let backup: String?
    private let document: String?

    init(_ given: Given) throws(UsageFault) {
        backup = given.optionalArgument(0)
        document = given.text(Verify.document)
        for option in [CommonOptions.data, CommonOptions.server, CommonOptions.socket, Verify.document]
        where backup != nil && given.has(option) {
            throw given.fault(.together("BACKUP", option.flag))
        }
    }

    func run(on stage: Stage) async throws -> ExitCode {
        if let backup { return try read(stage) { try Verify.check(backup: backup, $0) }.show(on: stage) }
        if case .folder(let folder) = stage.place, document == nil, try await !stage.isServed(folder) {
            return try read(stage) { try Verify.check(folder: folder, $0) }.show(on: stage)
        }
        return try await verify(on: stage).show(on: stage)
    }

    private func verify(on stage: Stage) async throws -> StoreVerification {
        let progress = ProgressLine(stage.notes)
        defer { progress.end() }
        return try await stage.reach(about: document) { client in
            try await client.verify(document) {
                progress.show("\($0.done) of \($0.all.counting("document"))")
            }
        }
    }

    private func read(
        _ stage: Stage, _ check: (_ progress: (CheckProgress) -> Void) throws -> CheckReport
    ) throws -> CheckReport {
        let progress = ProgressLine(stage.notes)
        defer { progress.end() }
        return try check { state in
            progress.show(
                "\(state.documents) of \(state.allDocuments.counting("document")), "
                    + state.revisions.counting("revision"))
        }
    }

    fileprivate static func verdict(_ findings: Int, _ hasMore: Bool) -> String {
        if findings == 0 { return "sound" }
        return hasMore ? "\(findings) and more findings" : findings.counting("finding")
    }

    private static func check(backup: String, _ progress: (CheckProgress) -> Void) throws -> CheckReport {
        do throws(OpeningFault) {
            return try SQLiteStore.verify(backup: backup, progress: progress)
        } catch {
            throw Failure(error, in: backup)
        }
    }

    private static func check(folder: String, _ progress: (CheckProgress) -> Void) throws -> CheckReport {
        try FolderServer.requireStore(folder)
        do throws(OpeningFault) {
            return try SQLiteStore.verify(folder: folder, progress: progress)
        } catch {
            throw Failure(error, in: folder)
        }
    }
}

extension StoreVerification {
    fileprivate func show(on stage: Stage) -> ExitCode {
        if stage.isJSON {
            let list = findings.map { finding in
                JSON.object([
                    "doc": finding.document.map { .text($0) } ?? .null,
                    "number": finding.number.map { .number($0) } ?? .null, "fault": .text(finding.message),
                ])
            }
            stage.show(
                .object([
                    "sound": .bool(isSound), "documents": .number(documents),
                    "revisions": .number(revisions), "findings": .list(list),
                    "more": .bool(hasMore),
                ]))
            return isSound ? .done : .no
        }
        for finding in findings {
            let number = finding.number.map { "document number \($0)" }
            let name = finding.document?.harmless ?? number ?? "the store"
            stage.output.write("\(name): \(finding.message.harmless)\n")
        }
        stage.output.write(
            Verify.verdict(findings.count, hasMore)
                + ": \(documents.counting("document")), \(revisions.counting("revision"))\n")
        return isSound ? .done : .no
    }
}

extension CheckReport {
    func show(on stage: Stage) -> ExitCode {
        if stage.isJSON {
            stage.show(
                .object([
                    "sound": .bool(isSound), "documents": .number(documents), "revisions": .number(revisions),
                    "snapshots": .number(snapshots), "pushers": .number(pushers), "tokens": .number(tokens),
                    "findings": .list(findings.map(\.json)), "more": .bool(hasMore),
                ]))
            return isSound ? .done : .no
        }
        for finding in findings { stage.output.write(finding.words + "\n") }
        stage.output.write(
            Verify.verdict(findings.count, hasMore)
                + ": \(documents.counting("document")), \(revisions.counting("revision")), "
                + "\(snapshots.counting("snapshot")), \(pushers.counting("pusher")), \(tokens.counting("token"))\n"
        )
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
