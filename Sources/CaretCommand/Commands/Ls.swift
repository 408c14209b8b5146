import CaretClient
import CaretCore

/// Lists documents.
struct Ls: Subcommand {
    private static let deleted = Option(
        "deleted", "lists deleted documents that can be restored, each with its number")

    static let description = CommandDescription(
        "ls", "lists documents: name, revision, length in UTF-16 code units, time of the last change",
        arguments: [
            Argument("PREFIX", .document, isOptional: true, "only documents whose names begin with PREFIX")
        ],
        options: [deleted])

    private let prefix: String
    private let wantsDeleted: Bool

    init(_ arguments: Arguments) {
        prefix = arguments.optional(0) ?? ""
        wantsDeleted = arguments.has(Ls.deleted)
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        if wantsDeleted { return try await showDeleted(in: context) }
        let entries = try await context.withClient { try await $0.documents(under: prefix) }
        if context.isJSON {
            for entry in entries { context.show(entry.json) }
            return .done
        }
        var table = Table([
            .init("NAME"), .init("REVISION", isNumber: true), .init("LENGTH", isNumber: true),
            .init("CHANGED"),
        ])
        for entry in entries {
            table.add([
                entry.name, "\(entry.revision.value)", "\(entry.length)", context.stamp(entry.updated),
            ])
        }
        context.show(table, orIfEmpty: nothing)
        return .done
    }

    private var nothing: String {
        prefix.isEmpty
            ? "there are no documents yet; `caret new NAME` creates one"
            : "no document that you may read begins with \(prefix); `caret ls` lists all"
    }

    private func showDeleted(in context: CommandContext) async throws -> ExitCode {
        let entries = try await context.withClient { try await $0.deletedDocuments(under: prefix) }
        if context.isJSON {
            for entry in entries { context.show(entry.json) }
            return .done
        }
        var table = Table(
            [
                .init("NUMBER", isNumber: true), .init("NAME"), .init("REVISION", isNumber: true),
                .init("LENGTH", isNumber: true), .init("CHANGED"), .init("DELETED"),
            ], flexible: 1)
        for entry in entries {
            table.add([
                "\(entry.number)", entry.name, "\(entry.revision.value)", "\(entry.length)",
                context.stamp(entry.updated), context.stamp(entry.deleted),
            ])
        }
        context.show(table, orIfEmpty: "there is no deleted document that can be restored")
        return .done
    }
}

extension DeletedDocumentList.Entry {
    fileprivate var json: JSON {
        .object([
            "number": .number(number), "doc": .text(name), "rev": .number(revision.value),
            "length": .number(length), "updated": .text(Stamp.universal(updated)),
            "deleted": .text(Stamp.universal(deleted)),
        ])
    }
}

extension DocumentList.Entry {
    var json: JSON {
        .object([
            "doc": .text(name), "epoch": .text(epoch), "rev": .number(revision.value),
            "length": .number(length), "updated": .text(Stamp.universal(updated)),
        ])
    }
}
