import CaretClient
import CaretLog

/// Renames a document, or all documents below a prefix.
struct Mv: Subcommand {
    private static let dryRun = Option("dry-run", "only prints the new names")

    static let description = CommandDescription(
        "mv", "renames a document, or all documents below a prefix; their histories stay",
        details: """
            A rename never replaces an existing document. With --prefix, the command first checks all new names. If one \
            of them exists, nothing is renamed. The command asks for confirmation only once. If it ends before all \
            documents are renamed, run it again.
            """,
        arguments: [
            Argument("DOC", .document, "the document, or with --prefix the beginning of names"),
            Argument("NAME", .document, "the new name, or with --prefix the new beginning"),
        ],
        options: [PrefixOption.option, dryRun, Confirmation.option])

    private let document: String
    private let name: String
    private let isPrefix: Bool
    private let isDryRun: Bool
    /// Nil for a dry run. Also nil for one document, because the user can rename the document back.
    private let confirmation: Confirmation?

    init(_ arguments: Arguments) throws(UsageFault) {
        isPrefix = arguments.has(PrefixOption.option)
        isDryRun = arguments.has(Mv.dryRun)
        if isPrefix {
            (document, name) = (try arguments.prefix(0), try arguments.prefix(1))
            confirmation = isDryRun ? nil : try Confirmation(arguments)
        } else {
            (document, name) = (try arguments.document(0), try arguments.document(1))
            confirmation = nil
        }
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        if !isPrefix, !isDryRun { return try await renameOne(in: context) }
        return try await context.withClient(about: document) { client in
            let renames = try await plan(client)
            try show(renames, in: context)
            guard let confirmation else { return .done }
            let words = "\(renames.count.counting("document")) below \(document.printable)"
            let question = "Rename \(words) to names below \(name.printable)?"
            if !confirmation.isGiven(to: question, in: context) {
                if !context.isJSON { context.output.write("nothing was changed\n") }
                return .failed
            }
            return try await BulkChange(verb: "renamed", context: context).run(
                renames, named: { "\($0.old) to \($0.new)" }
            ) {
                try await client.rename($0.old, to: $0.new)
            } report: {
                Mv.show(renamed: $0, in: context)
            }
        }
    }

    private func renameOne(in context: CommandContext) async throws -> ExitCode {
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

    // MARK: The plan

    private func plan(_ client: LiveClient) async throws -> [PlannedRename] {
        if !isPrefix {
            _ = try await client.entry(of: document)
            // The document with exactly this name sorts before all others that begin with it.
            let taken = try await client.list(prefix: name, limit: 1).documents
            return [PlannedRename(document, to: name, taken: Mv.names(of: taken))]
        }
        let old = try await client.documents(below: document)
        let taken = Mv.names(of: try await client.documents(under: name))
        return old.map { PlannedRename($0.name, from: document, to: name, taken: taken) }
    }

    /// The names, which are compared as bytes. An invalid name from a server is left out, because no document
    /// can get it.
    private static func names(of entries: [DocumentList.Entry]) -> Set<DocumentName> {
        Set(entries.compactMap { try? DocumentName($0.name) })
    }

    /// Prints the plan of a dry run. Throws if a document cannot get its new name.
    private func show(_ renames: [PlannedRename], in context: CommandContext) throws(Failure) {
        for rename in renames {
            if let problem = rename.problem {
                context.warn(Failure(problem))
            } else if isDryRun {
                context.report(
                    Mv.json(rename, isDone: false),
                    "\(rename.old.printable) would become \(rename.new.printable)")
            }
        }
        let count = renames.count { $0.problem != nil }
        if count == 0 { return }
        throw Failure(
            "\(count) of \(renames.count.counting("document")) cannot be renamed; nothing was changed",
            advice: "choose another name, or rename these documents one by one")
    }

    private static func show(renamed rename: PlannedRename, in context: CommandContext) {
        context.report(json(rename, isDone: true), "\(rename.old.printable) is now \(rename.new.printable)")
    }

    private static func json(_ rename: PlannedRename, isDone: Bool) -> JSON {
        .object(["doc": .text(rename.new), "was": .text(rename.old), "renamed": .bool(isDone)])
    }
}
