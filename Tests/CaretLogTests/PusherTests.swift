import CaretLog
import Testing

@Suite("Public ids of pushers") struct PusherTests {
    @Test("a pusher from another server has a public id that no client can use")
    func publicClients() {
        let known = Pusher(user: "ann", publicClient: "p-81c2")
        #expect(known.publicClient == "p-81c2")
        #expect(Pusher(user: "ann", client: "p-81c2x").publicClient == nil)
        #expect(known.client.utf8.contains { !(0x20...0x7E).contains($0) })
    }
}
