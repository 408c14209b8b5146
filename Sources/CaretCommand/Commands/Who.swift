import CaretClient
import CaretWire
import FoundationEssentials

/// Lists the connections and their open documents.
struct Who: Subcommand {
    private static let allNodes = Option(
        "all", "also asks the other servers that use the same database, at the addresses of caret nodes")

    static let description = CommandDescription(
        "who", "lists the connections: number, user, client, address, time, open documents",
        details: """
            A * marks a document that the connection reads slowly; the server reads its changes from disk. The exit \
            code is 4 if nobody has DOC open, and 3 if --all could not ask a server.
            """,
        arguments: [
            Argument("DOC", .document, isOptional: true, "only connections that have this document open")
        ],
        options: [allNodes])

    private let document: String?
    private let asksAll: Bool

    /// The connections of one server.
    private struct Found {
        /// Nil if only one server can use the store.
        let node: String?
        let connections: [ConnectionList.Entry]
    }

    init(_ arguments: Arguments) throws(UsageFault) {
        document = arguments.optional(0) == nil ? nil : try arguments.document(0)
        asksAll = arguments.has(Who.allNodes)
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        let (own, nodes) = try await context.withRunningServer(about: document) { client in
            if let document { _ = try await client.entry(of: document) }
            let nodes = asksAll ? try await client.nodes() : []
            let node = try await client.welcome().node?.string
            let own = Found(
                node: nodes.first(where: \.isAnswering)?.name ?? node,
                connections: try await connections(client))
            return (own, nodes)
        }
        var found = [own]
        var hasAskedAll = true
        for node in nodes where !node.isAnswering {
            do {
                found.append(Found(node: node.name, connections: try await ask(node, in: context)))
            } catch {
                context.warn(Failure("\(node.name): \(Failure(error).message)", code: .unreachable))
                hasAskedAll = false
            }
        }
        show(found, in: context)
        if !hasAskedAll { return .unreachable }
        return found.allSatisfy(\.connections.isEmpty) ? .negative : .done
    }

    private func ask(_ node: ServerNode, in context: CommandContext) async throws -> [ConnectionList.Entry] {
        guard let text = node.address, let address = ServerAddress(text) else {
            let reason = node.address.map { "its address '\($0)' cannot be used" } ?? "it has no address"
            throw Failure("\(reason)", advice: "set its key 'address' to one that you can reach")
        }
        return try await context.addingSubject {
            try await context.withClient([address]) { try await connections($0) }
        }
    }

    private func connections(_ client: LiveClient) async throws -> [ConnectionList.Entry] {
        let all = try await client.allConnections()
        return document.map { name in all.filter { $0.hasOpen(name) } } ?? all
    }

    private func show(_ found: [Found], in context: CommandContext) {
        if context.isJSON {
            for one in found {
                for connection in one.connections { context.show(connection.json(at: one.node)) }
            }
            return
        }
        let node: [Table.Column] = asksAll ? [.init("NODE")] : []
        var table = Table(
            node + [
                .init("NUMBER", isNumber: true), .init("USER"), .init("CLIENT"), .init("FROM"),
                .init("SINCE"), .init("OPEN"),
            ], flexible: 5 + node.count)
        for one in found {
            for connection in one.connections {
                table.add(
                    (asksAll ? [one.node ?? ""] : []) + [
                        "\(connection.number)", connection.user, connection.client,
                        connection.peer ?? "", context.stamp(connection.since),
                        connection.documents.map { $0 + (connection.isBehind(in: $0) ? "*" : "") }
                            .joined(separator: " "),
                    ])
            }
        }
        context.show(table, orIfEmpty: "nobody is connected")
    }
}

extension ConnectionList.Entry {
    fileprivate func hasOpen(_ name: String) -> Bool {
        documents.contains { $0.utf8.elementsEqual(name.utf8) }
    }

    fileprivate func isBehind(in name: String) -> Bool {
        behind.contains { $0.utf8.elementsEqual(name.utf8) }
    }

    fileprivate func json(at node: String?) -> JSON {
        .object([
            "number": .number(number), "user": .text(user), "client": .text(client),
            "peer": peer.map { .text($0) } ?? .null, "since": .text(Stamp.universal(since)),
            "docs": .list(documents.map { .text($0) }), "behind": .list(behind.map { .text($0) }),
            "node": node.map { .text($0) } ?? .null,
        ])
    }
}
