import CaretClient
import FoundationEssentials

/// Lists the connections and their open documents.
struct Who: Subcommand {
    static let description = CommandDescription(
        "who", "lists the connections: number, user, client, address, time, open documents",
        details: """
            A * marks a document that the connection reads slowly; the server reads its changes from disk. The exit \
            code is 4 if nobody has DOC open.
            """,
        arguments: [
            Argument("DOC", .document, isOptional: true, "only connections that have this document open")
        ])

    private let document: String?

    init(_ arguments: Arguments) throws(UsageFault) {
        document = arguments.optional(0) == nil ? nil : try arguments.document(0)
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        let connections = try await context.withRunningServer(about: document) { client in
            if let document { _ = try await client.entry(of: document) }
            let all = try await client.allConnections()
            return document.map { name in all.filter { $0.hasOpen(name) } } ?? all
        }
        show(connections, in: context)
        return connections.isEmpty ? .negative : .done
    }

    private func show(_ connections: [ConnectionList.Entry], in context: CommandContext) {
        if context.isJSON {
            for connection in connections { context.show(connection.json) }
            return
        }
        var table = Table(
            [
                .init("NUMBER", isNumber: true), .init("USER"), .init("CLIENT"), .init("FROM"),
                .init("SINCE"), .init("OPEN"),
            ], flexible: 5)
        for connection in connections {
            table.add([
                "\(connection.number)", connection.user, connection.client,
                connection.peer ?? "", context.stamp(connection.since),
                connection.documents.map { $0 + (connection.isBehind(in: $0) ? "*" : "") }
                    .joined(separator: " "),
            ])
        }
        if !connections.isEmpty { context.show(table) }
    }
}

extension ConnectionList.Entry {
    fileprivate func hasOpen(_ name: String) -> Bool {
        documents.contains { $0.utf8.elementsEqual(name.utf8) }
    }

    fileprivate func isBehind(in name: String) -> Bool {
        behind.contains { $0.utf8.elementsEqual(name.utf8) }
    }

    fileprivate var json: JSON {
        .object([
            "number": .number(number), "user": .text(user), "client": .text(client),
            "peer": peer.map { .text($0) } ?? .null, "since": .text(Stamp.universal(since)),
            "docs": .list(documents.map { .text($0) }), "behind": .list(behind.map { .text($0) }),
        ])
    }
}
