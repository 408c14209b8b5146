import CaretClient
import CaretCore

/// Prints the text of a document.
struct Cat: Subcommand {
    static let description = CommandDescription(
        "cat", "prints the text of a document, now or as it was",
        details: "Line breaks are those that the document's files have.",
        arguments: [Argument("DOC[@REV]", .document, "the document, and which of its revisions")])

    private let point: DocumentPoint

    init(_ given: Given) throws(UsageFault) { point = try given.point(0) }

    func run(on stage: Stage) async throws -> ExitCode {
        let version = try await stage.reach(about: point.document) { try await $0.read(point) }
        if stage.isJSON {
            stage.show(
                .object([
                    "doc": .text(version.name), "epoch": .text(version.epoch),
                    "rev": .number(version.revision.value),
                    "newline": .text(version.usesCRLF ? "crlf" : "lf"), "text": .text(version.text),
                ]))
        } else {
            stage.output.write(version.fileBytes)
        }
        return .done
    }
}

extension DocumentVersion {
    /// As it stands in a file.
    var fileBytes: [UInt8] { text.fileBytes(usesCRLF: usesCRLF) }
}

extension String {
    /// A text of a document as it stands in a file.
    func fileBytes(usesCRLF: Bool) -> [UInt8] {
        let lineFeed = UInt8(ascii: "\n")
        guard usesCRLF else { return Array(utf8) }
        return utf8.flatMap { $0 == lineFeed ? [UInt8(ascii: "\r"), lineFeed] : [$0] }
    }
}
