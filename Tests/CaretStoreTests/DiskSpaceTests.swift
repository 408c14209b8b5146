import CaretStore
import Testing

@Suite("Events about disk space") struct DiskSpaceTests {
    private func changes(after events: [StoreEvent]) -> [DiskSpace.Change] {
        var space = DiskSpace()
        return events.compactMap { space.change(after: $0) }
    }

    @Test("a full disk is reported once, and so is the next commit that succeeds")
    func refusing() {
        #expect(changes(after: [.committed, .checkpointed]) == [])
        #expect(changes(after: [.diskFull, .writing(1), .diskFull]) == [.becameFull])
        #expect(changes(after: [.diskFull, .committed, .committed]) == [.becameFull, .freed])
    }

    @Test("if only the log has space, the disk counts as full until a checkpoint")
    func holdingBack() {
        let held: [StoreEvent] = [.committed, .checkpointing, .checkpointDiskFull]
        #expect(changes(after: held + held + [.committed]) == [.becameFull])
        #expect(changes(after: held + [.committed, .diskFull, .committed]) == [.becameFull])
        #expect(changes(after: held + [.committed, .checkpointing, .checkpointed]) == [.becameFull, .freed])
        #expect(changes(after: held + [.diskFull, .checkpointed]) == [.becameFull])
    }
}
