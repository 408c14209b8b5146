import CaretClient
import CaretStore
import CaretSync
import CaretWire
import FoundationEssentials

/// Writes documents to a folder, one file each, or with their histories to an archive.
struct Export: Subcommand {
    private static let force = Option("force", "replaces existing files whose text differs")

    private static let hidden = Option(
        "hidden", "also exports documents whose name has a part that begins with a dot")

    private static let deleted = Option(
        "deleted", "also exports deleted documents; only to an archive, and only while the server is stopped")

    static let description = CommandDescription(
        "export", "writes documents to a folder, one file each, or with their histories to one archive",
        details: """
            PREFIX names a folder of documents. With the PREFIX notes, the document notes/today becomes the file \
            TO/today. An existing file with another text is left alone, unless --force is given. A document is left \
            alone if a part of its name begins with a dot, unless --hidden is given. Symbolic links in the folder are \
            not followed. If TO ends with .caret-archive, the export is one file with all revisions, their authors and \
            times. In an archive, the names of the documents keep the PREFIX.
            """,
        arguments: [
            Argument("TO", .file, "the folder, which is created if missing, or NAME.caret-archive"),
            Argument(
                "PREFIX", .document, isOptional: true,
                "only documents whose names begin with PREFIX and a slash"),
        ], options: [force, hidden, deleted])

    private let folder: DocumentFolder
    private let replaces: Bool
    private let wantsHidden: Bool
    private let wantsDeleted: Bool

    init(_ arguments: Arguments) throws(UsageFault) {
        folder = DocumentFolder(arguments.required(0), prefix: arguments.optional(1) ?? "")
        replaces = arguments.has(Export.force)
        wantsHidden = arguments.has(Export.hidden)
        wantsDeleted = arguments.has(Export.deleted)
        if wantsDeleted, !ArchiveFile.isArchive(folder.folder) {
            throw arguments.fault(.missingArgument("NAME.caret-archive"))
        }
        if wantsDeleted, !arguments.has(CommonOptions.data) {
            throw arguments.fault(.missingArgument("--data DIR"))
        }
    }

    private enum Outcome {
        case written, unchanged
        case leftAlone(String)
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        if ArchiveFile.isArchive(folder.folder) { return try await archive(in: context) }
        let tally = try await context.withClient { client in
            var tally = Tally()
            let progress = ProgressLine(context.notes)
            defer { progress.end() }
            let entries = try await client.documents(under: folder.prefix)
            let target = try ExportFolder(folder.folder)
            try await inOrder(entries) { entry in
                do {
                    return try await client.versionIfThere(entry.name)
                } catch let refusal as ServerRefusal {
                    throw Failure(refusal, about: entry.name)
                }
            } receive: { entry, version in
                guard let version else { return }
                progress.show(tally.all, of: entries.count, "document")
                // The name comes from the list of documents, because the server's answer with the text could
                // contain another name.
                switch write(version, of: entry.name, to: target) {
                case .written: tally.done += 1
                case .unchanged: tally.unchanged += 1
                case .leftAlone(let reason): tally.leaveAlone(entry.name, reason)
                }
            }
            return tally
        }
        return tally.show(in: context, "written")
    }

    private func archive(in context: CommandContext) async throws -> ExitCode {
        let path = folder.folder
        let (documents, revisions, bytes) =
            wantsDeleted
            ? try await writeAll(in: context)
            : try await context.withClient { try await write($0, deletedOf: nil, in: context) }
        if context.isJSON {
            context.show(
                .object([
                    "documents": .number(documents), "revisions": .number(revisions), "bytes": .number(bytes),
                ]))
        } else {
            context.output.write(
                "\(path): \(documents.counting("document")), \(revisions.counting("revision")), "
                    + "\(bytes.counting("byte"))\n")
        }
        return .done
    }

    /// Exports the documents of the server, and the deleted ones from the store.
    private func writeAll(in context: CommandContext) async throws -> (
        documents: Int, revisions: Int, bytes: Int
    ) {
        guard case .folder(let data) = context.target else {
            preconditionFailure("--deleted was accepted without a data folder")
        }
        if try await context.hasRunningServer(data) {
            throw Failure(
                "\(data): a server runs on this folder",
                advice: "stop the server: deleted documents can be exported only while no server runs")
        }
        return try await context.withTemporaryServer(data) { client, store in
            try await write(client, deletedOf: store, in: context)
        }
    }

    private func write(
        _ client: LiveClient, deletedOf store: SQLiteStore?, in context: CommandContext
    ) async throws -> (documents: Int, revisions: Int, bytes: Int) {
        let progress = ProgressLine(context.notes)
        defer { progress.end() }
        let writer = try ArchiveWriter(
            folder.folder, replaces: replaces, server: try await client.welcome().server.string,
            made: Date.now.milliseconds)
        try await ArchiveExport(client: client, writer: writer, progress: progress)
            .write(prefix: folder.prefix)
        if let store {
            try await DeletedExport(store: store, writer: writer, progress: progress)
                .write(prefix: folder.prefix)
        }
        let bytes = try writer.finish(replacing: replaces)
        return (writer.documents, writer.revisions, bytes)
    }

    private func write(_ version: DocumentVersion, of document: String, to target: ExportFolder) -> Outcome {
        let path: DocumentPath
        do throws(DocumentPath.Fault) {
            path = try folder.path(of: document)
        } catch {
            return .leftAlone(error.words)
        }
        if path.isHidden, !wantsHidden {
            return .leftAlone("a part of its name begins with a dot; pass --hidden to export it")
        }
        let bytes = version.fileBytes
        do throws(Failure) {
            if let old = try target.contents(at: path) {
                if old == bytes { return .unchanged }
                if !replaces {
                    return .leftAlone(
                        "\(folder.folder)/\(path.text) exists with another text; pass --force to replace it")
                }
            }
            try target.write(bytes, at: path)
            return .written
        } catch {
            return .leftAlone(error.message)
        }
    }
}
