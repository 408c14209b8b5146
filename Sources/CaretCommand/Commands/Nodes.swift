import CaretClient

/// Lists the servers that use the same database.
struct Nodes: Subcommand {
    static let description = CommandDescription(
        "nodes",
        "lists the servers that use the same database: address, version, connections, open documents",
        details: """
            HEARD is the time since a server was last heard of. Each running server is heard of every 2 \
            seconds. A server that was killed stays in the list for a day. A * marks the server that answers. \
            The exit code is 4 if a server was silent for more than 10 seconds.
            """)

    private static let longestSilence = Duration.seconds(10)

    init(_ arguments: Arguments) {}

    func run(in context: CommandContext) async throws -> ExitCode {
        let nodes = try await context.withRunningServer { try await $0.nodes() }
        show(nodes, in: context)
        return nodes.contains { $0.silence > Nodes.longestSilence } ? .negative : .done
    }

    private func show(_ nodes: [ServerNode], in context: CommandContext) {
        if context.isJSON {
            for node in nodes { context.show(node.json) }
            return
        }
        var table = Table([
            .init("NAME"), .init("ADDRESS"), .init("VERSION"), .init("SINCE"), .init("HEARD", isNumber: true),
            .init("CONNECTIONS", isNumber: true), .init("DOCUMENTS", isNumber: true),
        ])
        for node in nodes {
            table.add([
                node.name + (node.isAnswering ? "*" : ""), node.address ?? "", node.version,
                context.stamp(node.since), Nodes.written(node.silence), "\(node.connections)",
                "\(node.documents)",
            ])
        }
        context.show(table)
    }

    /// Seconds with one digit after the point, such as `1.4 s`.
    private static func written(_ silence: Duration) -> String {
        let tenths = silence.milliseconds / 100
        return "\(tenths / 10).\(tenths % 10) s"
    }
}

extension ServerNode {
    fileprivate var json: JSON {
        .object([
            "name": .text(name), "address": address.map { .text($0) } ?? .null, "version": .text(version),
            "since": .text(Stamp.universal(since)), "silent_ms": .number(silence.milliseconds),
            "connections": .number(connections), "documents": .number(documents),
            "answering": .bool(isAnswering),
        ])
    }
}

extension Duration {
    fileprivate var milliseconds: Int {
        Int(components.seconds) * 1_000 + Int(components.attoseconds / 1_000_000_000_000_000)
    }
}
