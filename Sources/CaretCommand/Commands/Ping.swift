import CaretClient
import CaretWire

/// Checks the connection to the server: its version, the user, and the round-trip time.
struct Ping: Subcommand {
    static let description = CommandDescription(
        "ping", "checks the connection: the server's version, your user name and the round-trip time")

    init(_ arguments: Arguments) {}

    func run(in context: CommandContext) async throws -> ExitCode {
        // `withRunningServer` starts no temporary server on the data folder. A temporary server would always
        // answer, so the check would show nothing.
        do {
            try await context.withRunningServer { try await ask($0, in: context) }
        } catch ConnectionFault.unreachable(let address, let reason) {
            guard case .folder(let folder) = context.target else {
                throw ConnectionFault.unreachable(address, reason: reason)
            }
            throw Failure(
                "\(folder): no server runs on this folder: \(address): \(reason)",
                advice: "start caretd --data \(folder)", code: .unreachable)
        }
        return .done
    }

    private func ask(_ client: LiveClient, in context: CommandContext) async throws {
        let welcome = try await client.welcome()
        let began = ContinuousClock.now
        _ = try await client.request(.ping(CaretWire.Ping()))
        let microseconds = (ContinuousClock.now - began).microseconds
        if context.isJSON {
            context.show(
                .object([
                    "server": .text(welcome.server.string), "address": .text(client.address.description),
                    "user": .text(welcome.user.string), "microseconds": .number(microseconds),
                ]))
        } else {
            let time = "\(microseconds / 1_000).\(microseconds % 1_000 / 100) ms"
            context.output.write(
                "\(client.address): \(welcome.server.string.printable), you are "
                    + "\(welcome.user.string.printable), answered in \(time)\n")
        }
    }
}

extension Duration {
    fileprivate var microseconds: Int {
        Int(components.seconds) * 1_000_000 + Int(components.attoseconds / 1_000_000_000_000)
    }
}
