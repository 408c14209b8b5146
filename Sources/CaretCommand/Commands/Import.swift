import CaretClient
import CaretLog
import CaretSync
import CaretWire

/// Creates documents from the files of a folder, or from an archive with their histories.
struct Import: Subcommand {
    static let description = CommandDescription(
        "import", "creates documents from the files of a folder, or from an archive with their histories",
        details: """
            PREFIX names a folder of documents. With the PREFIX notes, the file FROM/today becomes the document \
            notes/today. An existing document gets the text of the file as a new revision. Hidden files are ignored. Files that are \
            too large, are not UTF-8 text or have an invalid name are left alone, with a note. An archive needs \
            --data and a stopped server; a missing data folder is created. An archive is imported completely or not \
            at all, and never replaces a document.
            """,
        arguments: [
            Argument("FROM", .file, "the folder, or NAME.caret-archive"),
            Argument(
                "PREFIX", .document, isOptional: true,
                "the documents get names that begin with PREFIX and a slash"),
        ])

    private let folder: DocumentFolder

    init(_ arguments: Arguments) throws(UsageFault) {
        folder = DocumentFolder(arguments.required(0), prefix: arguments.optional(1) ?? "")
        if ArchiveFile.isArchive(folder.folder), !arguments.has(CommonOptions.data) {
            throw arguments.fault(.missingArgument("--data DIR"))
        }
    }

    private enum Outcome {
        case saved, unchanged
        case leftAlone(String)
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        if ArchiveFile.isArchive(folder.folder) { return try await unpack(in: context) }
        let files = try FileTree.files(in: folder.folder)
        let tally = try await context.withClient { client in
            var tally = Tally()
            let most = try await client.welcome().limits.document
            let progress = ProgressLine(context.notes)
            defer { progress.end() }
            try await inOrder(files) { file in
                try await push(file, atMost: most, client)
            } receive: { file, outcome in
                progress.show(tally.all, of: files.count, "file")
                switch outcome {
                case .saved: tally.done += 1
                case .unchanged: tally.unchanged += 1
                case .leftAlone(let reason): tally.leaveAlone(file.path, reason)
                }
            }
            return tally
        }
        return tally.show(in: context, "saved")
    }

    private func unpack(in context: CommandContext) async throws -> ExitCode {
        guard case .folder(let data) = context.target else {
            preconditionFailure("an archive was accepted although --data is missing")
        }
        if try await context.hasRunningServer(data) {
            throw Failure(
                "\(data): a server runs on this folder",
                advice: "stop the server: an archive can be imported only while no server runs")
        }
        let progress = ProgressLine(context.notes)
        defer { progress.end() }
        let found = try await ArchiveImport(
            path: folder.folder, prefix: folder.prefix, folder: data, progress: progress
        ).run()
        if context.isJSON {
            context.show(
                .object(["documents": .number(found.documents), "revisions": .number(found.revisions)]))
        } else {
            context.output.write(
                "\(data): imported \(found.documents.counting("document")), "
                    + "\(found.revisions.counting("revision"))\n")
        }
        return .done
    }

    private func push(
        _ file: FileTree.FoundFile, atMost limit: Int, _ client: LiveClient
    ) async throws -> Outcome {
        if let reason = file.reason { return .leftAlone(reason) }
        let document = folder.document(at: file.path)
        if (try? DocumentName(document)) == nil { return .leftAlone("not a valid document name") }
        let text: String
        do throws(Failure) {
            text = try TextFile.text(at: folder.folder + "/" + file.path)
        } catch {
            return .leftAlone(error.message)
        }
        if text.utf8.contains(0) { return .leftAlone("not text: it contains a NUL byte") }
        // The server does not store CR characters, so its size limit applies to the text without CR.
        let count = FileText(text).text.utf8.count
        if count > limit { return .leftAlone("it has \(count) bytes; the limit is \(limit)") }
        do {
            let saved = try await patiently {
                let old = try await client.versionIfThere(document)
                return try await client.push(text, to: document, since: old, creating: old == nil)
            }
            return saved.isUnchanged ? .unchanged : .saved
        } catch let refusal as ServerRefusal {
            return .leftAlone("\(refusal)")
        }
    }

    /// Retries if the server throttles the request, after the delay that the server names.
    private func patiently<Result>(_ body: () async throws -> Result) async throws -> Result {
        while true {
            do {
                return try await body()
            } catch let refusal as ServerRefusal where refusal.code == .rateLimited {
                try await Task.sleep(for: refusal.retryAfter ?? .seconds(1))
            }
        }
    }
}
