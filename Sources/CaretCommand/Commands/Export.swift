import CaretClient
import CaretStore
import CaretSync
import CaretWire
import FoundationEssentials

/// Writes documents into a folder, a file each, or with their histories into one archive.
struct Export: Subcommand {
    private static let force = Option("force", "replaces files that have another text")

    private static let hidden = Option(
        "hidden", "also documents whose names, or parts of them, begin with a dot")

    private static let deleted = Option(
        "deleted", "also what was deleted and can be brought back; of a stopped server, into an archive")

    static let description = CommandDescription(
        "export", "writes documents into a folder, a file each, or with their histories into one file",
        details: """
            A PREFIX is a folder of documents, and left out of the names of the files: with notes/ the document notes/today \
            becomes TO/today. A file that is there and has another text is left alone, unless --force is said. Names that \
            begin with a dot are left alone too, unless --hidden is said. Links in the folder are not followed. Where TO ends \
            with .caret-archive it becomes one file with every revision, its author and its time; names in it are whole.
            """,
        arguments: [
            Argument("TO", .file, "the folder, which is made where there is none, or NAME.caret-archive"),
            Argument("PREFIX", .document, isOptional: true, "only documents whose names begin so"),
        ], options: [force, hidden, deleted])

    private let folder: DocumentFolder
    private let replaces: Bool
    private let wantsHidden: Bool
    private let wantsDeleted: Bool

    init(_ given: Given) throws(UsageFault) {
        folder = DocumentFolder(given.argument(0), prefix: given.optionalArgument(1) ?? "")
        replaces = given.has(Export.force)
        wantsHidden = given.has(Export.hidden)
        wantsDeleted = given.has(Export.deleted)
        if wantsDeleted, !ArchiveFile.isMeant(by: folder.folder) {
            throw given.fault(.missingArgument("NAME.caret-archive"))
        }
        if wantsDeleted, !given.has(CommonOptions.data) {
            throw given.fault(.missingArgument("--data DIR"))
        }
    }

    private enum Outcome {
        case written, unchanged
        case leftAlone(String)
    }

    func run(on stage: Stage) async throws -> ExitCode {
        if ArchiveFile.isMeant(by: folder.folder) { return try await archive(on: stage) }
        let tally = try await stage.reach { client in
            var tally = Tally()
            let progress = ProgressLine(stage.notes)
            defer { progress.end() }
            let entries = try await client.documents(under: folder.prefix)
            let target = try TargetFolder(folder.folder)
            try await inOrder(entries) { entry in
                do {
                    return try await client.versionIfThere(entry.name)
                } catch let refusal as ServerRefusal {
                    throw Failure(refusal, about: entry.name)
                }
            } take: { entry, version in
                guard let version else { return }
                progress.show(tally.all, of: entries.count, "document")
                // By the name that was asked for: the answer may say another one.
                switch write(version, of: entry.name, to: target) {
                case .written: tally.done += 1
                case .unchanged: tally.unchanged += 1
                case .leftAlone(let reason): tally.leaveAlone(entry.name, reason)
                }
            }
            return tally
        }
        return tally.show(on: stage, "written")
    }

    private func archive(on stage: Stage) async throws -> ExitCode {
        let path = folder.folder
        let (documents, revisions, bytes) =
            wantsDeleted
            ? try await writeAll(on: stage)
            : try await stage.reach { try await write($0, deletedOf: nil, on: stage) }
        if stage.isJSON {
            stage.show(
                .object([
                    "documents": .number(documents), "revisions": .number(revisions), "bytes": .number(bytes),
                ]))
        } else {
            stage.output.write(
                "\(path): \(documents.counting("document")), \(revisions.counting("revision")), "
                    + "\(bytes.counting("byte"))\n")
        }
        return .done
    }

    /// What a server tells, and what the store alone knows.
    private func writeAll(on stage: Stage) async throws -> (documents: Int, revisions: Int, bytes: Int) {
        guard case .folder(let data) = stage.place else { preconditionFailure("deleted without a folder") }
        if try await stage.isServed(data) {
            throw Failure(
                "\(data): a server runs on this folder",
                advice: "stop it: what was deleted is exported of a stopped server alone")
        }
        return try await stage.serve(data) { client, store in
            try await write(client, deletedOf: store, on: stage)
        }
    }

    private func write(
        _ client: LiveClient, deletedOf store: SQLiteStore?, on stage: Stage
    ) async throws -> (documents: Int, revisions: Int, bytes: Int) {
        let progress = ProgressLine(stage.notes)
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

    private func write(_ version: DocumentVersion, of document: String, to target: TargetFolder) -> Outcome {
        let path: DocumentPath
        do throws(DocumentPath.Fault) {
            path = try folder.path(of: document)
        } catch {
            return .leftAlone(error.words)
        }
        if path.isHidden, !wantsHidden {
            return .leftAlone("a part of its name begins with a dot; --hidden writes it")
        }
        let bytes = version.fileBytes
        do throws(Failure) {
            if let old = try target.contents(at: path) {
                if old == bytes { return .unchanged }
                if !replaces {
                    return .leftAlone(
                        "\(folder.folder)/\(path.text) is there with another text; --force replaces it")
                }
            }
            try target.write(bytes, at: path)
            return .written
        } catch {
            return .leftAlone(error.message)
        }
    }
}
