import CaretClient
import CaretCore
import FoundationEssentials

/// Restores a deleted document.
struct Undelete: Subcommand {
    private static let number = Option(
        "number", letter: "n", value: "N",
        "the number of the document, if several deleted documents had its name: see `caret ls --deleted`")

    static let description = CommandDescription(
        "undelete", "restores a deleted document with its whole history",
        details: "The server keeps deleted documents for a while, by default 30 days.",
        arguments: [Argument("DOC", .other, "the name of the deleted document")], options: [number])

    private let document: String
    private let number: Int?

    init(_ arguments: Arguments) throws(UsageFault) {
        document = try arguments.document(0)
        number = try arguments.number(Undelete.number, in: 1...Int.max)
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        let entry = try await context.withClient(about: document) { client in
            let named = try await client.deletedDocuments(under: document).filter {
                $0.name.utf8.elementsEqual(document.utf8)
            }
            let entry = try choose(among: named, in: context)
            try await client.undelete(entry.number)
            return entry
        }
        if context.isJSON {
            context.show(
                .object([
                    "doc": .text(entry.name), "number": .number(entry.number),
                    "rev": .number(entry.revision.value), "undeleted": .bool(true),
                ]))
        } else {
            context.output.write("\(entry.name.printable) is back, at revision \(entry.revision.value)\n")
        }
        return .done
    }

    private func choose(
        among named: [DeletedDocumentList.Entry], in context: CommandContext
    ) throws(Failure) -> DeletedDocumentList.Entry {
        if let number {
            if let entry = named.first(where: { $0.number == number }) { return entry }
            throw Failure(
                "there is no deleted document \(document.printable) with number \(number)",
                advice: "`caret ls --deleted` lists the documents that can be restored")
        }
        guard let last = named.last else {
            throw Failure(
                "there is no deleted document \(document.printable)",
                advice: "`caret ls --deleted` lists the documents that can be restored")
        }
        if named.count == 1 { return last }
        let list = named.map { "\($0.number), deleted \(context.stamp($0.deleted))" }.joined(separator: "; ")
        throw Failure(
            "\(named.count) deleted documents had the name \(document.printable): \(list)",
            advice: "choose one with --number")
    }
}
