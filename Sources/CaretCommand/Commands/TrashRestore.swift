import CaretSync
import CaretWire

/// Restores a text that a sync removed from a folder.
struct TrashRestore: Subcommand {
    static let description = CommandDescription(
        "trash restore", "restores a text that `caret sync` removed from a folder",
        arguments: [
            Argument("FOLDER", .folder, "a synced folder"),
            Argument("NUMBER", .other, "the number of the text: see `caret trash list`"),
            Argument(
                "FILE", .file, isOptional: true,
                "the name of the restored file in the folder; default: the name that it had"),
        ])

    private let folder: String
    private let number: String
    private let file: String?

    init(_ arguments: Arguments) {
        folder = arguments.required(0)
        number = arguments.required(1)
        file = arguments.optional(2)
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        let trash = try SyncTrash(ofSynced: folder)
        guard let item = trash.items.first(where: { "\($0.number)" == number }),
            let bytes = try trash.bytes(of: item)
        else {
            throw Failure(
                "\(folder): its trash has no item \(number.printable)",
                advice: "`caret trash list \(folder)` shows the numbers")
        }
        let name = WireString(file ?? item.path)
        guard let path = SyncNames(prefix: "").path(of: name) else {
            throw Failure("\(name.string.printable): not a valid name of a synced file")
        }
        let files = SyncFolder(root: folder, limit: 0)
        let new = folder + "/" + SyncNames.stateFolder + "/restored"
        _ = try files.disk.make(new, bytes, mode: 0o666)
        try files.makeFolders(for: path)
        do throws(FileFault) {
            try files.install(new, at: path)
        } catch {
            try files.disk.remove(new)
            if error.isExisting {
                throw Failure(
                    "\(files.path(path)): already exists", advice: "pass another file name after the number")
            }
            throw error
        }
        context.output.write("\(files.path(path).printable)\n")
        return .done
    }
}
