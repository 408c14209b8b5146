import CaretClient
import CaretCore

/// Lists documents.
struct Ls: Subcommand {
    static let description = CommandDescription(
        "ls", "lists documents: name, revision, length in UTF-16 code units, when changed",
        arguments: [Argument("PREFIX", .document, isOptional: true, "only those whose names begin so")])

    private let prefix: String

    init(_ given: Given) { prefix = given.optionalArgument(0) ?? "" }

    func run(on stage: Stage) async throws -> ExitCode {
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
}

extension DocumentList.Entry {
    var json: JSON {
        .object([
            "doc": .text(name), "epoch": .text(epoch), "rev": .number(revision.value),
            "length": .number(length), "updated": .text(Stamp.universal(updated)),
        ])
    }
}
