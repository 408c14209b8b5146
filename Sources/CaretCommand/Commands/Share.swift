import CaretClient
import CaretWire

/// Makes, lists and ends links to a document.
struct Share: Subcommand {
    private static let read = Option(
        "read", value: "DURATION", "makes a link for reading that lasts this long: 12h or 7d, at most 30d")
    private static let write = Option(
        "write", value: "DURATION", "makes a link for reading and writing that lasts this long")
    private static let end = Option("end", value: "NUMBER", "ends the link with this number")

    static let description = CommandDescription(
        "share", "makes a link to a document, or lists its links",
        details: """
            Everybody who has the link can use it until it ends. The command prints the address of the page with a token \
            behind #link=, or only the token if the server has no page for other machines. The server does not store the \
            token, so it cannot be printed again. Renaming or deleting the document ends its links. The server must allow \
            links (share_links).
            """,
        arguments: [Argument("DOC", .document, "the document")], options: [read, write, end])

    private enum Action {
        case list
        case add(LinkRight, seconds: Int)
        case end(number: Int)
    }

    private let document: String
    private let action: Action

    init(_ arguments: Arguments) throws(UsageFault) {
        document = try arguments.document(0)
        let given = [Share.read, Share.write, Share.end].filter { arguments.has($0) }
        if given.count > 1 { throw arguments.fault(.conflict(given[0].flag, given[1].flag)) }
        if let seconds = try Share.seconds(Share.read, arguments) {
            action = .add(.read, seconds: seconds)
        } else if let seconds = try Share.seconds(Share.write, arguments) {
            action = .add(.write, seconds: seconds)
        } else if let number = try arguments.number(Share.end, in: 1...Limits.integer) {
            action = .end(number: number)
        } else {
            action = .list
        }
    }

    private static func seconds(_ option: Option, _ arguments: Arguments) throws(UsageFault) -> Int? {
        guard let text = arguments.text(option) else { return nil }
        guard let seconds = WrittenDuration.seconds(text), 1...Limits.linkSeconds ~= seconds else {
            throw arguments.fault(
                .badValue(option.flag, found: text, expected: "a time of at most 30 days, such as 12h or 7d"))
        }
        return seconds
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        try await context.withRunningServer(about: document) { client in
            switch action {
            case .list:
                let links = try await TokenList.all(client) { after, limit in
                    .links(.list(ListLinks(document: WireString(document), after: after, limit: limit)))
                }
                TokenList.show(
                    links, orIfEmpty: "there are no links; `caret share DOC --read 7d` makes one", in: context
                )
            case .add(let right, let seconds): try await add(right, seconds, client, context)
            case .end(let number):
                try await client.endLink(number, to: document)
                context.report(
                    .object(["number": .number(number), "ended": .bool(true)]),
                    "link \(number) to \(document.printable) has ended")
            }
        }
        return .done
    }

    private func add(
        _ right: LinkRight, _ seconds: Int, _ client: LiveClient, _ context: CommandContext
    ) async throws {
        // If other people cannot reach a page, only programs can use the link, and they need just the token.
        let page = try? await PageAddress(served: client.welcome().page?.string, at: client.address)
        let link = try await client.makeLink(to: document, right, seconds: seconds)
        let url = page.map { "\($0.text(of: document, at: nil))#link=\(link.text)" }
        context.report(
            .object([
                "number": .number(link.number), "token": .text(link.text),
                "url": url.map { .text($0) } ?? .null,
            ]),
            url ?? link.text)
    }
}
