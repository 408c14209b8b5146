import CaretClient
import FoundationEssentials

/// Who is connected, and what they have open.
struct Who: Subcommand {
    static let description = CommandDescription(
        "who", "who is connected: number, user, from where, since when, and what they have open",
        details: """
            A document marked with * is taken so slowly that its changes are read from disk. With DOC only those who have \
            it open; where nobody has, it ends with 4.
            """,
        arguments: [Argument("DOC", .document, isOptional: true, "a document")])

    private let document: String?

    init(_ given: Given) throws(UsageFault) {
        document = given.optionalArgument(0) == nil ? nil : try given.document(0)
    }

    func run(on stage: Stage) async throws -> ExitCode {
        let connections = try await stage.reachServer(about: document) { client in
            if let document { _ = try await client.entry(of: document) }
            let all = try await client.allConnections()
            return document.map { name in all.filter { $0.hasOpen(name) } } ?? all
        }
        show(connections, on: stage)
        return connections.isEmpty ? .no : .done
    }

    private func show(_ connections: [ConnectionList.Entry], on stage: Stage) {
        if stage.isJSON {
            for connection in connections { stage.show(connection.json) }
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
                connection.peer ?? "", stage.stamp(connection.since),
                connection.documents.map { $0 + (connection.isBehind(in: $0) ? "*" : "") }
                    .joined(separator: " "),
            ])
        }
        if !connections.isEmpty { stage.show(table) }
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
