import CaretSync
import CaretWire
import Testing

// Laws that hold whenever a sync of any test reports something, and after each of its passes.
extension SyncWorld {
    private static let stateFolder = path(".caret")

    /// Law: a power cut loses nothing that was reported as done. At the report, the file that the report is about is on
    /// disk, and so is everything that the state folder has of it. Other files may be in flight.
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
        let own = records(on: disk).filter { $0.path == place || $0.path == path }
        let swap = Set(own.flatMap(\.files).map { "\(stateFolder)/swap/\($0)" })
        expectDurable(losses, on: disk, "\(report)") { file in
            if file.hasPrefix(stateFolder + "/swap/") { return !swap.contains(file) }
            return record(in: file, on: disk).map { $0.path != place && $0.path != path } ?? false
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

    /// Checks the losses in the state folder, except those of files that are in flight.
    private static func expectDurable(
        _ losses: [String: MemoryDisk.Loss], on disk: MemoryDisk, _ what: String,
        except isInFlight: (String) -> Bool = { _ in false }
    ) {
        for (path, loss) in losses where path.hasPrefix(stateFolder + "/") && !isInFlight(path) {
            // The next start removes a record that was not moved to its place.
            let isRecord = path.hasPrefix(stateFolder + "/files/") && !path.hasSuffix(".new")
            // A program may still write into a file that was moved to `swap`.
            let isOfProgram = loss == .bytes && path.hasPrefix(stateFolder + "/swap/")
            #expect(
                loss == .comesBack && !isRecord || isOfProgram,
                "\(what): a power cut would change \(path): \(loss)")
        }
    }

    /// Law: after a pass, the state folder is on disk. It has the records that the program has in memory, and
    /// `swap` has only files that one of them mentions.
    static func expectTidy(_ records: [WireString: SyncRecord], on disk: MemoryDisk) {
        expectDurable(disk.losses(below: root), on: disk, "after a pass")
        let stored = Self.records(on: disk)
        #expect(stored.count == records.count, "the state folder has \(stored.map(\.path).sorted())")
        for record in stored { #expect(records[WireString(record.path)] == record) }
        let needed = Set(records.values.flatMap(\.files).map { "\($0)" })
        let swap = disk.files(below: stateFolder + "/swap")
        #expect(needed.isSuperset(of: swap), "\(swap) are more than \(needed)")
    }

    private static func records(on disk: MemoryDisk) -> [SyncRecord] {
        disk.files(below: stateFolder + "/files").filter { $0.hasSuffix(".json") }
            .compactMap { record(in: "\(stateFolder)/files/\($0)", on: disk) }
    }

    /// Nil if the file has no record, or one that cannot be decoded.
    private static func record(in file: String, on disk: MemoryDisk) -> SyncRecord? {
        guard file.hasPrefix(stateFolder + "/files/") else { return nil }
        return disk.text(file).flatMap { SyncRecord(stored: Array($0.utf8)) }
    }
}
