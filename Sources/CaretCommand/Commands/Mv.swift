import CaretClient

/// Gives a document another name.
struct Mv: Subcommand {
    static let description = CommandDescription(
        "mv", "gives a document another name; its history stays",
        details: "A document that has the new name is never replaced.",
        arguments: [
            Argument("DOC", .document, "the document"), Argument("NAME", .document, "its new name"),
        ])

    private let document: String
    private let name: String

    init(_ given: Given) throws(UsageFault) {
        (document, name) = (try given.document(0), try given.document(1))
    }

    func run(on stage: Stage) async throws -> ExitCode {
        try await stage.reach(about: "\(document) to \(name)") { try await $0.rename(document, to: name) }
        if stage.isJSON {
            stage.show(.object(["doc": .text(name), "was": .text(document)]))
        } else {
            stage.output.write("\(document.harmless) is now \(name.harmless)\n")
        }
        return .done
    }
}
