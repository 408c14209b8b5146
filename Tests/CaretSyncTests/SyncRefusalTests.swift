import CaretSync
import CaretWire
import Testing

@Suite("Refused pushes of a sync") struct SyncRefusalTests {
    /// A world with a synced file that was saved again. The sync has not pushed that save yet.
    private func world() async throws -> SyncWorld {
        let world = try SyncWorld()
        try await world.begin(0)
        world.save("a\n", to: "file")
        try await world.run(2_000)
        world.save("a\nb\n", to: "file")
        return world
    }

    private func expect(_ world: SyncWorld, _ text: String) {
        #expect(world.server.texts["file"] == text)
        #expect(world.text("file") == text)
        let refusals = world.reports.filter { if case .refused = $0.report { true } else { false } }
        #expect(refusals.isEmpty)
    }

    @Test(
        "a push that is refused for now is resent unchanged a second later",
        arguments: [ErrorCode.overloaded, .rateLimited, .shuttingDown, .pushInFlight])
    func later(code: ErrorCode) async throws {
        let world = try await world()
        world.server.refuse("push", with: [code, code])
        try await world.run(900)
        #expect(world.server.pushes.count == 2)
        try await world.run(3_000)
        expect(world, "a\nb\n")
        let repeated = world.server.pushes.dropFirst()
        #expect(repeated.count == 3)
        #expect(repeated.allSatisfy { $0 == repeated.first })
        #expect(world.server.history(of: "file") == ["", "a\n", "a\nb\n"])
    }

    @Test("a push that is refused for good is tried again after a minute")
    func forGood() async throws {
        let world = try await world()
        world.server.refuse("push", with: [.forbidden])
        try await world.run(59_000)
        #expect(world.server.texts == ["file": "a\n"] && world.server.pushes.count == 2)
        try await world.run(2_000)
        #expect(world.server.texts == ["file": "a\nb\n"] && world.server.pushes.count == 3)
        let refusals = world.reports.filter { if case .refused = $0.report { true } else { false } }
        #expect(refusals.count == 1)
    }

    @Test("a refused file is tried again at once when it is saved")
    func savedAgain() async throws {
        let world = try await world()
        world.server.refuse("push", with: [.forbidden])
        try await world.run(1_000)
        world.save("a\nb\nc\n", to: "file")
        try await world.run(1_000)
        #expect(world.server.texts == ["file": "a\nb\nc\n"])
    }

    @Test("a refused rename is tried again a second later", arguments: [ErrorCode.notFound, .exists])
    func renameLater(code: ErrorCode) async throws {
        let world = try await world()
        try await world.run(1_000)
        world.server.refuse("rename", with: [code])
        world.disk.rename(byUser: SyncWorld.path("file"), to: SyncWorld.path("new"))
        try await world.run(900)
        #expect(world.server.requests["rename"] == 1)
        try await world.run(3_000)
        #expect(world.server.requests["rename"] == 2)
        #expect(world.server.texts == ["new": "a\nb\n"] && world.text("new") == "a\nb\n")
        #expect(world.reports.allSatisfy { if case .refused = $0.report { false } else { true } })
    }

    @Test(
        "if the base of a push is refused, sync pushes again from the new text",
        arguments: [ErrorCode.baseTrimmed, .baseBeforeOwnPush, .baseAhead, .epochChanged, .seqReused])
    func madeAgain(code: ErrorCode) async throws {
        let world = try await world()
        world.server.refuse("push", with: [code])
        // The sync does not receive this event. It finds the change when it reads the document.
        world.server.set("file", "elsewhere\na\n")
        _ = world.server.removeNews(of: 0)
        try await world.run(2_000)
        expect(world, "elsewhere\na\nb\n")
        let pushes = world.server.pushes.dropFirst()
        #expect(pushes.map(\.text) == ["a\nb\n", "elsewhere\na\nb\n"])
        #expect(pushes.map(\.base) == [1, 2])
        #expect(Set(pushes.map(\.seq)).count == 2)
    }
}
