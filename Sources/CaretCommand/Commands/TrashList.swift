import CaretClient
import CaretSync
import FoundationEssentials

/// Lists the texts that a sync removed from a folder.
struct TrashList: Subcommand {
    static let description = CommandDescription(
        "trash list", "lists the texts that `caret sync` removed from a folder and that can be restored",
        details: """
            A text is kept if its document was deleted elsewhere, or created again with another history. The trash keeps at \
            most 1,000 texts and 256 MiB, for at most 30 days; the oldest are removed first. When a text is only \
            changed, its old version is not in the trash, but in the history of the document.
            """,
        arguments: [Argument("FOLDER", .folder, "a synced folder")])

    private let folder: String

    init(_ arguments: Arguments) { folder = arguments.required(0) }

    func run(in context: CommandContext) async throws -> ExitCode {
        let trash = try SyncTrash(ofSynced: folder)
        if context.isJSON {
            for item in trash.items { context.show(item.json) }
            return .done
        }
        var table = Table(
            [
                .init("NUMBER", isNumber: true), .init("REMOVED"), .init("BYTES", isNumber: true),
                .init("REASON"),
                .init("FILE"),
            ],
            flexible: 4)
        for item in trash.items {
            table.add([
                "\(item.number)", context.stamp(Date(milliseconds: item.at)), "\(item.bytes)",
                item.reason.words,
                item.path,
            ])
        }
        context.show(table, orIfEmpty: "the trash is empty")
        return .done
    }
}

extension SyncTrash {
    init(ofSynced folder: String) throws {
        guard try SyncFolder(root: folder, limit: 0).isSynced(folder) else {
            throw Failure(
                "\(folder): not a synced folder",
                advice: "pass the folder that `caret sync` uses")
        }
        try self.init(in: folder)
    }
}

extension SyncTrash.Item {
    fileprivate var json: JSON {
        .object([
            "number": .number(number), "file": .text(path), "why": .text(reason.rawValue),
            "since": .text(Stamp.universal(Date(milliseconds: at))), "bytes": .number(bytes),
        ])
    }
}

extension SyncTrash.Reason {
    fileprivate var words: String {
        switch self {
        case .deleted: "the document was deleted elsewhere"
        case .replaced: "the document was created again elsewhere"
        case .late: "a program wrote this text to a replaced file"
        }
    }
}
