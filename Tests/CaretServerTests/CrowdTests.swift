import CaretRooms
import CaretServer
import Glibc
import TestSupport
import Testing

@Suite("Many connections")
struct CrowdTests {
    @Test("a server answers 2,000 connections, and sends one payload to all")
    func twoThousand() async throws {
        let members = Shared<[SocketID]>([])
        let maker: HandlerMaker = { connection in
            members.change { $0.append(connection.id) }
            return EchoHandler()
        }
        try await withServer(loops: 2, handler: maker) { server in
            let clients = try (0..<2_000).map { _ in try Client(to: server.address) }
            for (number, client) in clients.enumerated() { try client.send("\(10_000 + number)") }
            for (number, client) in clients.enumerated() {
                #expect(try client.receive(text: 5) == "\(10_000 + number)")
            }
            let payload = Payload(Array("to all".utf8))
            let all = members.value
            let before = await server.counters()
            for loop in server.loops {
                let mine = all.filter { $0.loop == loop.number }
                loop.post { sockets in for id in mine { sockets[id]?.send(payload) } }
            }
            for client in clients { #expect(try client.receive(text: 6) == "to all") }
            await server.wait { $0.bytesWritten - before.bytesWritten == 2_000 * 6 }
            #expect(await server.counters().writes - before.writes == 2_000)
        }
    }

    @Test("clients that connect and disconnect often do not disturb other clients")
    func churn() async throws {
        try await withServer(loops: 2) { server in
            let steady = try Client(to: server.address)
            for round in 0..<200 {
                let passing = try (0..<5).map { _ in try Client(to: server.address) }
                if round % 2 == 0 { for client in passing { client.reset() } }
                try steady.send("here")
                #expect(try steady.receive(text: 4) == "here")
            }
            await server.wait { $0.closed == 1_000 }
        }
    }
}
