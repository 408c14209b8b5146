import CaretSync
import CaretWire
import Testing

// Laws that hold whenever a sync of any test reports something, and after each of its passes.
extension SyncWorld {
    private static let stateFolder = path(".caret")

    /// Law: a power cut loses nothing that was reported as done. At the report, the files in the state folder and the
    /// file that the report is about are on disk.
    ///
    /// A removed file in `swap` or in the trash may come back, because the next start or the next text removes it again.
    /// A file with another text than the recorded one was saved by a program after the sync read it.
    static func expectDurable(_ report: SyncReport, _ path: String, on disk: MemoryDisk) {
        let place: String?
        switch report {
        case .pushed, .written, .deletedElsewhere: place = path
        case .renamedElsewhere(let new): place = new
        // The sync has changed no file outside the state folder.
        case .renamedHere, .deletedHere: place = nil
        // Nothing was done.
        case .leftAlone, .refused, .notSynced: return
        }
        let losses = disk.losses(below: root)
        for (path, loss) in losses where path.hasPrefix(stateFolder + "/") {
            let isRecord = path.hasPrefix(stateFolder + "/files/")
            // A program may still write into a file that was moved to `swap`.
            let isOfProgram = loss == .bytes && path.hasPrefix(stateFolder + "/swap/")
            #expect(
                loss == .comesBack && !isRecord || isOfProgram,
                "\(report): a power cut would change \(path): \(loss)")
        }
        guard let place else { return }
        if report == .deletedElsewhere {
            #expect(losses[Self.path(place)] != .comesBack, "a power cut would bring back \(place)")
            return
        }
        guard let seen = records(on: disk).first(where: { $0.path == place })?.seen,
            disk.text(Self.path(place)) == seen
        else { return }
        let loss = losses[Self.path(place)]
        #expect(loss == nil, "\(report): a power cut would change \(place): \(String(describing: loss))")
    }

    /// Law: after a pass, the state folder has the records that the program has in memory, and `swap` has only files
    /// that one of them mentions.
    static func expectTidy(_ records: [WireString: SyncRecord], on disk: MemoryDisk) {
        let stored = Self.records(on: disk)
        #expect(stored.count == records.count, "the state folder has \(stored.map(\.path).sorted())")
        for record in stored { #expect(records[WireString(record.path)] == record) }
        let needed = Set(records.values.flatMap(\.files).map { "\($0)" })
        let swap = disk.files(below: stateFolder + "/swap")
        #expect(needed.isSuperset(of: swap), "\(swap) are more than \(needed)")
    }

    private static func records(on disk: MemoryDisk) -> [SyncRecord] {
        disk.files(below: stateFolder + "/files").compactMap { name in
            // A record that cannot be decoded is missing from the result.
            disk.text("\(stateFolder)/files/\(name)").flatMap { SyncRecord(stored: Array($0.utf8)) }
        }
    }
}
