import CaretClient
import CaretCore
import Glibc

/// Removes a passage from every revision of a document.
struct Redact: Subcommand {
    private static let yes = Option(
        "yes", letter: "y", "removes the passage; without it, only prints what would change")

    static let description = CommandDescription(
        "redact", "permanently removes a passage from a document and its whole history",
        details: """
            Reads the passage from standard input, so that it is not in the history of your shell. A final line break of \
            the input does not count. Every revision stays, with its number, author and time, but each character of the \
            passage becomes * in all of them, even if it was typed one by one. Backups, archives and copies on other \
            machines that were made before keep the passage: remove them yourself.
            """,
        arguments: [Argument("DOC", .document, "the document")], options: [yes])

    private let document: String
    private let isConfirmed: Bool

    init(_ arguments: Arguments) throws(UsageFault) {
        document = try arguments.document(0)
        isConfirmed = arguments.has(Redact.yes)
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        if isatty(STDIN_FILENO) == 1 {
            context.note("type the passage, then Enter and Ctrl-D")
        }
        var passage = try TextFile.text(at: "-").replacing("\r\n", with: "\n")
        if passage.utf8.last == UInt8(ascii: "\n") { passage = String(passage.dropLast()) }
        let redacted = try await context.withClient(about: document) { [passage] client in
            try await client.redact(passage, from: document, isDryRun: !isConfirmed)
        }
        if context.isJSON { showJSON(redacted, in: context) } else { show(redacted, in: context) }
        return redacted.isFound ? .done : .negative
    }

    private func show(_ redacted: RedactedPassage, in context: CommandContext) {
        let name = document.printable
        if !redacted.isFound {
            return context.output.write("\(name): no revision and no note contains the passage\n")
        }
        let verb = isConfirmed ? "contained" : redacted.containing == 1 ? "contains" : "contain"
        context.output.write(
            """
            \(name): \(redacted.containing.counting("revision")) \(verb) the passage, \
            and the newest text \(isConfirmed ? "had" : "has") it \(redacted.countInHead.counting("time"))

            """)
        if redacted.notes > 0 {
            let verb = isConfirmed ? "contained" : redacted.notes == 1 ? "contains" : "contain"
            context.output.write("\(redacted.notes.counting("note")) \(verb) it too\n")
        }
        for author in redacted.authors {
            let range = author.range
            context.output.write(
                """
                \(author.user.printable) wrote it in \(author.revisions.counting("revision")), \
                from \(range.lowerBound.value) (\(context.stamp(author.since))) \
                to \(range.upperBound.value) (\(context.stamp(author.until)))

                """)
        }
        if redacted.hasMore { context.output.write("there are more authors or backups than are listed\n") }
        showBackups(redacted, in: context)
        let changed = redacted.changed.counting("revision")
        context.output.write(
            isConfirmed
                ? "the passage is removed from \(changed) and from every text made of them\n"
                : "nothing was changed; with --yes, \(changed) would be rewritten for good\n")
        if isConfirmed, !redacted.isErased {
            context.output.write(
                """
                unused parts of the server's files may still contain the passage; the server tries again \
                within an hour, and logs files_erased; if it uses PostgreSQL, only you can erase them: see \
                docs/postgresql.md

                """)
        }
    }

    private func showBackups(_ redacted: RedactedPassage, in context: CommandContext) {
        for backup in redacted.backups {
            context.output.write("backups/\(backup.printable) may contain the passage: remove it\n")
        }
        context.output.write(
            "remove other backups and archives that were made before, and copies on other machines\n")
    }

    private func showJSON(_ redacted: RedactedPassage, in context: CommandContext) {
        let authors = redacted.authors.map { author in
            JSON.object([
                "user": .text(author.user), "revisions": .number(author.revisions),
                "first": .number(author.range.lowerBound.value),
                "last": .number(author.range.upperBound.value),
                "since": .text(Stamp.universal(author.since)), "until": .text(Stamp.universal(author.until)),
            ])
        }
        context.show(
            .object([
                "doc": .text(document), "containing": .number(redacted.containing),
                "notes": .number(redacted.notes),
                "in_head": .number(redacted.countInHead), "changed": .number(redacted.changed),
                "authors": .list(authors), "backups": .list(redacted.backups.map { .text($0) }),
                "more": .bool(redacted.hasMore), "erased": .bool(redacted.isErased),
                "redacted": .bool(isConfirmed && redacted.isFound),
            ]))
    }
}
