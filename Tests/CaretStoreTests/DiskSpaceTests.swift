import CaretStore
import Testing

@Suite("Events about disk space") struct DiskSpaceTests {
    private func news(of events: [StoreEvent]) -> [DiskSpace.Change] {
        var space = DiskSpace()
        return events.compactMap { space.news(of: $0) }
    }

    @Test("a full disk is reported once, and so is the next commit")
    func refusing() {
        #expect(news(of: [.committed, .checkpointed]) == [])
        #expect(news(of: [.full, .writing(1), .full]) == [.full])
        #expect(news(of: [.full, .committed, .committed]) == [.full, .freed])
    }

    @Test("if only the log has space, the disk counts as full until a checkpoint")
    func holdingBack() {
        let held: [StoreEvent] = [.committed, .checkpointing, .checkpointFull]
        #expect(news(of: held + held + [.committed]) == [.full])
        #expect(news(of: held + [.committed, .full, .committed]) == [.full])
        #expect(news(of: held + [.committed, .checkpointing, .checkpointed]) == [.full, .freed])
        #expect(news(of: held + [.full, .checkpointed]) == [.full])
    }
}
