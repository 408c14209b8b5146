import CaretClient
import CaretLog
import CaretStore
import Glibc

/// Checks everything that is stored, and lists the damage.
package struct Verify: Subcommand {
    private static let document = Option("document", value: "DOC", "checks only one document")

    package static let description = CommandDescription(
        "verify", "checks everything that a server stores, or a backup, and lists the damage",
        details: """
            The check changes nothing. The exit code is 4 if something is damaged. A running server checks its store while \
            it works. If no server runs, caret checks the files of --data itself.
            """,
        arguments: [Argument("BACKUP", .file, isOptional: true, "a file made by `caret backup`")],
        options: [document])

    private let backup: String?
    private let document: String?

    /// One finding of the check: the damage, and where it is.
    package struct Finding: Equatable {
        /// Nil if the name is unknown.
        let document: String?
        /// Nil if the damage belongs to no document, or the document is unknown.
        let number: Int?
        let fault: String

        package init(document: String?, number: Int?, fault: String) {
            self.document = document
            self.number = number
            self.fault = fault
        }

        package var words: String {
            let number = number.map { "document number \($0)" }
            return "\(document?.printable ?? number ?? "the store"): \(fault.printable)"
        }

        fileprivate var json: JSON {
            .object([
                "doc": document.map { .text($0) } ?? .null, "number": number.map { .number($0) } ?? .null,
                "fault": .text(fault),
            ])
        }
    }

    package init(_ arguments: Arguments) throws(UsageFault) {
        backup = arguments.optional(0)
        document = arguments.text(Verify.document)
        for option in [CommonOptions.data, CommonOptions.server, CommonOptions.socket, Verify.document]
        where backup != nil && arguments.has(option) {
            throw arguments.fault(.conflict("BACKUP", option.flag))
        }
    }

    package func run(in context: CommandContext) async throws -> ExitCode {
        if let backup {
            return try show(in: context, backup, backup) { (progress) throws(OpeningFault) in
                try SQLiteStore.verify(backup: backup, progress: progress)
            }
        }
        if case .folder(let folder) = context.target, document == nil,
            try await !context.hasRunningServer(folder)
        {
            try FolderServer.requireStore(folder)
            return try show(in: context, folder, folder + "/caret.sqlite") {
                (progress) throws(OpeningFault) in
                try SQLiteStore.verify(folder: folder, progress: progress)
            }
        }
        return try await verify(in: context).show(in: context)
    }

    private func verify(in context: CommandContext) async throws -> StoreVerification {
        let progress = ProgressLine(context.notes)
        defer { progress.end() }
        return try await context.withClient(about: document) { client in
            try await client.verify(document) {
                progress.show($0.done, of: $0.all, "document")
            }
        }
    }

    /// Checks files that no server has open. A file that is too damaged to be opened is a finding, not a
    /// failure.
    private func show(
        in context: CommandContext, _ path: String, _ file: String,
        _ check: (_ progress: (CheckProgress) -> Void) throws(OpeningFault) -> CheckReport
    ) throws -> ExitCode {
        let report: Result<CheckReport, OpeningFault>
        do {
            let progress = ProgressLine(context.notes)
            defer { progress.end() }
            report = Result { () throws(OpeningFault) in
                try check { state in
                    progress.show(
                        state.documents, of: state.allDocuments, "document",
                        state.revisions.counting("revision"))
                }
            }
        }
        switch report {
        case .success(let report): return report.show(in: context)
        case .failure(let fault):
            guard let words = Verify.damage(fault, file) else { throw Failure(fault, in: path) }
            return Verify.show(damage: words, in: context)
        }
    }

    /// Describes the damage of an existing file that cannot be opened. Nil if the cause is not damage.
    private static func damage(_ fault: OpeningFault, _ file: String) -> String? {
        switch fault {
        case .notCaretDatabase: "not a database of Caret, or its first page is damaged"
        case .damagedHeader: "the header of the database is damaged"
        case .missingDatabase: "the file is missing or empty"
        // If the store reports ENOENT for an existing file, the file is empty.
        case .system(ENOENT) where access(file, F_OK) == 0: "the file is empty"
        case .database(let fault) where fault.kind == .damaged:
            "the first page of the file is cut off or damaged (\(fault.message))"
        case .system, .moved, .moving, .logOfOtherDatabase, .schemaTooOld, .schemaTooNew, .migrationChanged,
            .migrationFailed, .readOnly, .folderLocked, .database:
            nil
        }
    }

    private static func show(damage words: String, in context: CommandContext) -> ExitCode {
        let finding = Finding(document: nil, number: nil, fault: words)
        if context.isJSON {
            let counts = ["documents", "revisions", "snapshots", "pushers", "tokens"]
            context.show(
                .object(
                    [("sound", .bool(false))] + counts.map { ($0, .number(0)) } + [
                        ("findings", .list([finding.json])), ("more", .bool(false)),
                    ]))
        } else {
            context.output.write("\(finding.words)\n1 finding: nothing could be read\n")
        }
        return .negative
    }

    fileprivate static func verdict(_ findings: Int, _ hasMore: Bool) -> String {
        if findings == 0 { return "sound" }
        return hasMore ? "\(findings.counting("finding")), and there are more" : findings.counting("finding")
    }
}

extension StoreVerification {
    private var found: [Verify.Finding] {
        findings.map { Verify.Finding(document: $0.document, number: $0.number, fault: $0.message) }
    }

    fileprivate func show(in context: CommandContext) -> ExitCode {
        if context.isJSON {
            context.show(
                .object([
                    "sound": .bool(isSound), "documents": .number(documents),
                    "revisions": .number(revisions), "findings": .list(found.map(\.json)),
                    "more": .bool(hasMore),
                ]))
            return isSound ? .done : .negative
        }
        for finding in found { context.output.write(finding.words + "\n") }
        context.output.write(
            Verify.verdict(findings.count, hasMore)
                + ": \(documents.counting("document")), \(revisions.counting("revision"))\n")
        return isSound ? .done : .negative
    }
}

extension CheckReport {
    private var found: [Verify.Finding] {
        findings.map { finding in
            Verify.Finding(
                document: finding.name?.description, number: finding.document.map { Int($0.value) },
                fault: finding.fault.words)
        }
    }

    func show(in context: CommandContext) -> ExitCode {
        if context.isJSON {
            context.show(
                .object([
                    "sound": .bool(isSound), "documents": .number(documents), "revisions": .number(revisions),
                    "snapshots": .number(snapshots), "pushers": .number(pushers), "tokens": .number(tokens),
                    "findings": .list(found.map(\.json)), "more": .bool(hasMore),
                ]))
            return isSound ? .done : .negative
        }
        for finding in found { context.output.write(finding.words + "\n") }
        context.output.write(
            Verify.verdict(findings.count, hasMore)
                + ": \(documents.counting("document")), \(revisions.counting("revision")), "
                + "\(snapshots.counting("snapshot")), \(pushers.counting("pusher")), \(tokens.counting("token"))\n"
        )
        return isSound ? .done : .negative
    }
}
