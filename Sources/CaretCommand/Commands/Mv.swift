import CaretClient

/// Renames a document.
struct Mv: Subcommand {
    static let description = CommandDescription(
        "mv", "renames a document; its history stays",
        details: "A rename never replaces an existing document.",
        arguments: [
            Argument("DOC", .document, "the document"),
            Argument("NAME", .document, "the new name of the document"),
        ])

    private let document: String
    private let name: String

    init(_ arguments: Arguments) throws(UsageFault) {
        (document, name) = (try arguments.document(0), try arguments.document(1))
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        try await context.withClient(about: "\(document) to \(name)") {
            try await $0.rename(document, to: name)
        }
        if context.isJSON {
            context.show(.object(["doc": .text(name), "was": .text(document)]))
        } else {
            context.output.write("\(document.printable) is now \(name.printable)\n")
        }
        return .done
    }
}
