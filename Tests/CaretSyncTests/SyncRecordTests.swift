import CaretSync
import Foundation
import Testing

@Suite("Stored records of synced files") struct SyncRecordTests {
    private func read(_ json: String) throws -> SyncRecord {
        try JSONDecoder().decode(SyncRecord.self, from: Data(json.utf8))
    }

    @Test("a record of version 0.1.0 can still be read")
    func oldRecord() throws {
        let old = try read(
            """
            {"path": "f", "seen": "a", "head": {"epoch": "e", "revision": 5, "text": "b"}, "shown": 4,
            "usesCRLF": true, "push": {"seq": 7, "epoch": "e", "base": 5, "text": "c", "before": "a"},
            "lastSeq": 8, "displaced": [{"number": 1, "text": "d", "at": 2}], "removing": 3}
            """)
        let push = SyncRecord.Push(seq: 7, epoch: "e", base: 5, text: "c", before: "a")
        #expect(
            old
                == SyncRecord(
                    path: "f", seen: "a", head: .init(epoch: "e", revision: 5, text: "b"), shown: 4,
                    usesCRLF: true, push: push, lastSeq: 8,
                    displaced: [.init(number: 1, text: "d", at: 2)], removing: 3))
    }

    @Test("a record is read as it was written")
    func written() throws {
        let push = SyncRecord.Push(seq: 7, epoch: nil, base: 0, text: "c", before: "a", displaced: 1)
        for epoch in ["e", nil] {
            let record = SyncRecord(
                path: "f", seen: "a", isSeenOwn: true, head: .init(epoch: epoch, revision: 5, text: "b"),
                shown: 4, usesCRLF: false, push: push, lastSeq: 8,
                displaced: [.init(number: 1, text: "d", at: 2, isOwn: true)], removing: 3
            ).placing(number: 6, inode: 9, before: "a", replacing: true, at: 10)
            let bytes = try JSONEncoder().encode(record)
            let found = try JSONDecoder().decode(SyncRecord.self, from: bytes)
            #expect(found == record)
            #expect(found.head?.epoch == epoch)
        }
    }
}
