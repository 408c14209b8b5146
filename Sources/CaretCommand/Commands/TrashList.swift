import CaretClient
import CaretSync
import FoundationEssentials

/// Lists the texts that a sync removed from a folder.
struct TrashList: Subcommand {
    static let description = CommandDescription(
        "trash list", "the texts that `caret sync` took out of a folder, which can be brought back",
        details: """
            It keeps what it removes because a document was deleted elsewhere, and what another history replaces: at most \
            1,000 texts, 256 MiB and 30 days. The oldest go first. What is changed and not removed is in the document's history.
            """,
        arguments: [Argument("FOLDER", .folder, "a folder that is synced")])

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
                .init("NUMBER", isNumber: true), .init("SINCE"), .init("BYTES", isNumber: true), .init("WHY"),
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
        if !trash.items.isEmpty { context.show(table) }
        return .done
    }
}

extension SyncTrash {
    init(ofSynced folder: String) throws {
        guard try SyncFolder(root: folder, limit: 0).isSynced(folder) else {
            throw Failure(
                "\(folder): it is not a folder that is synced",
                advice: "say the folder that caret sync was told")
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
        case .deleted: "deleted elsewhere"
        case .replaced: "made again elsewhere"
        case .late: "written into the old file"
        }
    }
}
