import CaretClient
import CaretCore

/// Lists documents.
struct Ls: Subcommand {
    private static let deleted = Option(
        "deleted", "those that were deleted and can be brought back, each with its number")

    static let description = CommandDescription(
        "ls", "lists documents: name, revision, length in UTF-16 code units, when changed",
        arguments: [Argument("PREFIX", .document, isOptional: true, "only those whose names begin so")],
        options: [deleted])

    private let prefix: String
    private let wantsDeleted: Bool

    init(_ given: Given) {
        prefix = given.optionalArgument(0) ?? ""
        wantsDeleted = given.has(Ls.deleted)
    }

    func run(on stage: Stage) async throws -> ExitCode {
        if wantsDeleted { return try await showDeleted(on: stage) }
        let entries = try await stage.reach { try await $0.documents(under: prefix) }
        if stage.isJSON {
            for entry in entries { stage.show(entry.json) }
            return .done
        }
        var table = Table([
            .init("NAME"), .init("REVISION", isNumber: true), .init("LENGTH", isNumber: true),
            .init("CHANGED"),
        ])
        for entry in entries {
            table.add([
                entry.name, "\(entry.revision.value)", "\(entry.length)", stage.stamp(entry.updated),
            ])
        }
        if !entries.isEmpty { stage.show(table) }
        return .done
    }

    private func showDeleted(on stage: Stage) async throws -> ExitCode {
        let entries = try await stage.reach { try await $0.deletedDocuments(under: prefix) }
        if stage.isJSON {
            for entry in entries { stage.show(entry.json) }
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
                stage.stamp(entry.updated), stage.stamp(entry.deleted),
            ])
        }
        if !entries.isEmpty { stage.show(table) }
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
