import CaretClient
import CaretCore
import CaretLog

/// Names revisions of a document, and lists the names.
struct NameRevision: Subcommand {
    private static let remove = Option("remove", "removes the name; the revision stays")

    static let description = CommandDescription(
        "tag", "names a revision of a document, or lists the named revisions",
        details: """
            Without REV, NAME belongs to the newest revision. Afterwards DOC@NAME is that revision in all subcommands. \
            Without NAME, the command lists the names: revision, name, user, time. A name has 1 to 64 letters, digits, -, _ \
            and ., and begins with a letter. Names stay when a document is renamed, and are removed with the revision when \
            its text is trimmed. Archives contain them.
            """,
        arguments: [
            Argument("DOC[@REV]", .document, "the document, with an optional revision"),
            Argument("NAME", .other, isOptional: true, "the name"),
        ], options: [remove])

    private let point: DocumentPoint
    private let name: String?
    private let removes: Bool

    init(_ arguments: Arguments) throws(UsageFault) {
        name = arguments.optional(1)
        removes = arguments.has(NameRevision.remove)
        let names = !removes && name != nil
        point =
            names
            ? try arguments.point(0)
            : DocumentPoint(document: try arguments.document(0), revision: .head)
        if removes, name == nil { throw arguments.fault(.missingArgument("NAME")) }
        if let name, TagName(name) == nil {
            throw arguments.fault(
                .badValue(
                    "NAME", found: name,
                    expected: "1 to \(TagName.longest) letters, digits, -, _ and ., with a letter first"))
        }
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        try await context.withClient(about: point.document) { client in
            guard let name else { return show(try await client.tags(of: point.document), in: context) }
            if removes { return try await remove(name, client, context) }
            try await add(name, client, context)
        }
        return .done
    }

    private func add(_ name: String, _ client: LiveClient, _ context: CommandContext) async throws {
        let revision =
            point.revision == .head
            ? try await client.entry(of: point.document).revision : try await client.read(point).revision
        try await client.tag(revision, of: point.document, as: name)
        if context.isJSON {
            return context.show(
                .object([
                    "doc": .text(point.document), "name": .text(name), "rev": .number(revision.value),
                ]))
        }
        context.output.write("\(point.document.printable)@\(name): revision \(revision.value)\n")
    }

    private func remove(_ name: String, _ client: LiveClient, _ context: CommandContext) async throws {
        try await client.untag(name, of: point.document)
        if context.isJSON {
            return context.show(
                .object(["doc": .text(point.document), "name": .text(name), "removed": .bool(true)]))
        }
        context.output.write("\(point.document.printable)@\(name): the name is removed\n")
    }

    private func show(_ tags: [NamedRevision], in context: CommandContext) {
        if context.isJSON {
            for tag in tags {
                context.show(
                    .object([
                        "name": .text(tag.name), "rev": .number(tag.revision.value),
                        "user": .text(tag.user), "time": .text(Stamp.universal(tag.time)),
                    ]))
            }
            return
        }
        var table = Table(
            [.init("REVISION", isNumber: true), .init("NAME"), .init("USER"), .init("TIME")], flexible: 1)
        for tag in tags {
            table.add(["\(tag.revision.value)", tag.name, tag.user, context.stamp(tag.time)])
        }
        context.show(table, orIfEmpty: "no revision has a name; `caret tag DOC NAME` names the newest one")
    }
}
