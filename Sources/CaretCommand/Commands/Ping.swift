import CaretClient
import CaretWire

/// Whether the server is there, who it is, and how far away.
struct Ping: Subcommand {
    static let description = CommandDescription(
        "ping", "whether the server is there, who one is to it, and how far away it is")

    init(_ given: Given) {}

    func run(on stage: Stage) async throws -> ExitCode {
        // The files of a server that does not run would answer, too.
        do {
            try await stage.reachServer { try await ask($0, on: stage) }
        } catch ConnectionFault.unreachable(let address, let reason) {
            guard case .folder(let folder) = stage.place else {
                throw ConnectionFault.unreachable(address, reason: reason)
            }
            throw Failure(
                "\(folder): no server runs on this folder: \(address): \(reason)",
                advice: "start caretd --data \(folder)", code: .unreachable)
        }
        return .done
    }

    private func ask(_ client: LiveClient, on stage: Stage) async throws {
        let welcome = try await client.welcome()
        let began = ContinuousClock.now
        _ = try await client.request(.ping(CaretWire.Ping()))
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
}

extension Duration {
    fileprivate var microseconds: Int {
        Int(components.seconds) * 1_000_000 + Int(components.attoseconds / 1_000_000_000_000)
    }
}
