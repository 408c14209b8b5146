import CaretClient
import CaretLog
import CaretSync
import CaretWire

/// Makes documents of the files of a folder, or of an archive with their histories.
struct Import: Subcommand {
    static let description = CommandDescription(
        "import", "makes documents of the files in a folder, or of an archive with their histories",
        details: """
            A PREFIX is put in front of the names: with notes/ the file FROM/today becomes notes/today. A document that is \
            there gets the text of the file as a new revision. What is hidden is not seen; what is no text in UTF-8, too large \
            or not to be named so is left alone, with a note. An archive goes into the folder that --data says, whose server \
            is stopped: all of it or nothing, and only under names that are free. A folder that is not there is made.
            """,
        arguments: [
            Argument("FROM", .file, "the folder, or NAME.caret-archive"),
            Argument("PREFIX", .document, isOptional: true, "what the names of the documents begin with"),
        ])

    private let folder: DocumentFolder

    init(_ given: Given) throws(UsageFault) {
        folder = DocumentFolder(given.argument(0), prefix: given.optionalArgument(1) ?? "")
        if ArchiveFile.isMeant(by: folder.folder), !given.has(CommonOptions.data) {
            throw given.fault(.missingArgument("--data DIR"))
        }
    }

    private enum Outcome {
        case saved, unchanged
        case leftAlone(String)
    }

    func run(on stage: Stage) async throws -> ExitCode {
        if ArchiveFile.isMeant(by: folder.folder) { return try await unpack(on: stage) }
        let files = try FileTree.files(in: folder.folder)
        let tally = try await stage.reach { client in
            var tally = Tally()
            let most = try await client.welcome().limits.document
            let progress = ProgressLine(stage.notes)
            defer { progress.end() }
            try await inOrder(files) { file in
                try await push(file, atMost: most, client)
            } take: { file, outcome in
                progress.show(tally.all, of: files.count, "file")
                switch outcome {
                case .saved: tally.done += 1
                case .unchanged: tally.unchanged += 1
                case .leftAlone(let reason): tally.leaveAlone(file.path, reason)
                }
            }
            return tally
        }
        return tally.show(on: stage, "saved")
    }

    private func unpack(on stage: Stage) async throws -> ExitCode {
        guard case .folder(let data) = stage.place else { preconditionFailure("an archive without a folder") }
        if try await stage.isServed(data) {
            throw Failure(
                "\(data): a server runs on this folder",
                advice: "stop it: a history goes into the folder of a stopped server alone")
        }
        let progress = ProgressLine(stage.notes)
        defer { progress.end() }
        let found = try await ArchiveImport(
            path: folder.folder, prefix: folder.prefix, folder: data, progress: progress
        ).run()
        if stage.isJSON {
            stage.show(
                .object(["documents": .number(found.documents), "revisions": .number(found.revisions)]))
        } else {
            stage.output.write(
                "\(data): imported \(found.documents.counting("document")), "
                    + "\(found.revisions.counting("revision"))\n")
        }
        return .done
    }

    private func push(
        _ file: FileTree.Found, atMost limit: Int, _ client: LiveClient
    ) async throws -> Outcome {
        if let reason = file.reason { return .leftAlone(reason) }
        let document = folder.document(at: file.path)
        if (try? DocumentName(document)) == nil { return .leftAlone("no name of a document") }
        let text: String
        do throws(Failure) {
            text = try TextFile.text(at: folder.folder + "/" + file.path)
        } catch {
            return .leftAlone(error.message)
        }
        if text.utf8.contains(0) { return .leftAlone("no text: it has a byte 0") }
        // As the server counts, which keeps no CR.
        let count = FileText(text).text.utf8.count
        if count > limit { return .leftAlone("\(count) bytes, where \(limit) may be") }
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

    /// Tries again where the server says when.
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
