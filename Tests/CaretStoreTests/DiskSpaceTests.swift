import CaretStore
import Testing

@Suite("Space on the disk, as it is told") struct DiskSpaceTests {
    private func news(of events: [StoreEvent]) -> [DiskSpace.News] {
        var space = DiskSpace()
        return events.compactMap { space.news(of: $0) }
    }

    @Test("calls that are refused are told once, and that one was committed again")
    func refusing() {
        #expect(news(of: [.committed, .checkpointed]) == [])
        #expect(news(of: [.full, .writing(1), .full]) == [.full])
        #expect(news(of: [.full, .committed, .committed]) == [.full, .freed])
    }

    @Test("a disk that has space for the log alone is full until the log has come into the database")
    func holdingBack() {
        let held: [StoreEvent] = [.committed, .checkpointing, .checkpointFull]
        #expect(news(of: held + held + [.committed]) == [.full])
        #expect(news(of: held + [.committed, .full, .committed]) == [.full])
        #expect(news(of: held + [.committed, .checkpointing, .checkpointed]) == [.full, .freed])
        #expect(news(of: held + [.full, .checkpointed]) == [.full])
    }
}
