import CaretClient
import CaretCore

/// Deletes the older part of a document's history.
struct Trim: Subcommand {
    private static let before = Option(
        "before", value: "WHEN", "a revision (900), an age (30d) or a time (2026-11-20)")
    private static let dryRun = Option("dry-run", "only prints what would be deleted")

    static let description = CommandDescription(
        "trim", "permanently deletes the history of a document before a revision",
        details:
            "The text of that revision stays readable. The space is freed by the next upkeep of the server.",
        arguments: [Argument("DOC[@REV]", .document, "the document, and the oldest revision to keep")],
        options: [before, dryRun, Confirmation.option])

    private let point: DocumentPoint
    /// Nil for a dry run.
    private let confirmation: Confirmation?

    init(_ arguments: Arguments) throws(UsageFault) {
        let point = try arguments.point(0)
        if let text = arguments.text(Trim.before) {
            if point.revision != .head { throw arguments.fault(.conflict("@REV", Trim.before.flag)) }
            guard let revision = RevisionName(text), revision != .head else {
                throw arguments.fault(
                    .badValue(Trim.before.flag, found: text, expected: RevisionName.expected))
            }
            self.point = DocumentPoint(document: point.document, revision: revision)
        } else if point.revision == .head {
            throw arguments.fault(.missingArgument("DOC@REV or \(Trim.before.flag) WHEN"))
        } else {
            self.point = point
        }
        confirmation = arguments.has(Trim.dryRun) ? nil : try Confirmation(arguments)
    }

    private enum Outcome {
        case nothing
        case dryRun(TrimmedHistory)
        case done(TrimmedHistory)
        case refused
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        let (outcome, revision) = try await context.withClient(about: point.document) { client in
            // A time before the first revision is allowed here. In that case no revision is deleted.
            let moment = try await client.historyPoint(point)
            let revision = try await client.read(point.document, at: moment).revision
            let found = try await client.trim(point.document, before: revision, isDryRun: true)
            if found.revisions == 0 { return (Outcome.nothing, revision) }
            guard let confirmation else { return (.dryRun(found), revision) }
            let question = "\(point.document.printable): delete \(found.words) permanently?"
            if !confirmation.isGiven(to: question, in: context) { return (.refused, revision) }
            return (.done(try await client.trim(point.document, before: revision)), revision)
        }
        show(outcome, revision, in: context)
        if case .refused = outcome { return .failed }
        return .done
    }

    private func show(_ outcome: Outcome, _ revision: Revision, in context: CommandContext) {
        if context.isJSON {
            let (start, count, isDone) =
                switch outcome {
                case .nothing, .refused: (nil as Revision?, 0, false)
                case .dryRun(let found): (found.start, found.revisions, false)
                case .done(let found): (found.start, found.revisions, true)
                }
            return context.show(
                .object([
                    "doc": .text(point.document), "rev": .number(revision.value),
                    "start": start.map { .number($0.value) } ?? .null, "revisions": .number(count),
                    "trimmed": .bool(isDone),
                ]))
        }
        let words =
            switch outcome {
            case .nothing: "unchanged: its history begins at revision \(revision.value)"
            case .dryRun(let found): "would delete \(found.words)"
            case .done(let found): "deleted \(found.words)"
            case .refused: "nothing was changed"
            }
        context.output.write("\(point.document.printable): \(words)\n")
    }
}

extension TrimmedHistory {
    fileprivate var words: String {
        "\(revisions.counting("revision")) (up to revision \(start.value), whose text stays)"
    }
}
