import CaretClient
import CaretWire

/// Whether the server is there, who it is, and how far away.
struct Ping: Subcommand {
    static let description = CommandDescription(
        "ping", "whether the server is there, who one is to it, and how far away it is")

    init(_ given: Given) {}

    func run(on stage: Stage) async throws -> ExitCode {
        try await stage.reach { client in
            let welcome = try await client.welcome()
            let began = ContinuousClock.now
            _ = try await client.ask(.ping(CaretWire.Ping()))
            let microseconds = (ContinuousClock.now - began).microseconds
            if stage.isJSON {
                stage.show(
                    .object([
                        "server": .text(welcome.server.string), "address": .text(client.address.description),
                        "user": .text(welcome.user.string), "microseconds": .number(microseconds),
                    ]))
            } else {
                let time = "\(microseconds / 1_000).\(microseconds % 1_000 / 100) ms"
                stage.output.write(
                    "\(client.address): \(welcome.server.string.harmless), where you are "
                        + "\(welcome.user.string.harmless), answers in \(time)\n")
            }
        }
        return .done
    }
}

extension Duration {
    fileprivate var microseconds: Int {
        Int(components.seconds) * 1_000_000 + Int(components.attoseconds / 1_000_000_000_000)
    }
}
