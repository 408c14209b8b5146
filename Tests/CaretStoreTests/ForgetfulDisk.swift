import TestSupport

/// A simulated disk that may lose all data that was not synced. It replays a trace, and returns the files
/// that a power cut may leave.
///
/// The disk has these rules. A sector of 512 bytes is written completely or not at all. After a power cut a
/// sector has one of its states since the last sync. Names are created and removed in order, and are durable
/// once their folder was synced. SQLite syncs the folder with the first sync of a new journal or log. The
/// data of a failed sync may be lost for good: a later sync does not write that data again.
struct ForgetfulDisk {
    private static let sector = 512

    fileprivate enum Change {
        case wrote(Int, ArraySlice<UInt8>)
        case truncated(Int)
    }

    private struct File {
        var durable: [UInt8] = []
        var unsynced: [Change] = []
        /// Whether the first sync of this file also syncs the folder.
        var syncsFolder: Bool
    }

    private enum NameChange {
        case made(String, Int)
        case removed(String)
    }

    private var files: [File] = []
    private var names: [String: Int] = [:]
    private var durableNames: [String: Int] = [:]
    private var unsyncedNames: [NameChange] = []
    /// All contents that the commit counter has had. The counter is synced only at the start, so a power cut
    /// may leave any of these contents.
    private var beside: [ArraySlice<UInt8>] = []
    /// The name of a file whose syncs have no effect.
    private let deafTo: String?
    private var random: Seeded

    init(_ random: Seeded, deafTo: String? = nil) {
        self.random = random
        self.deafTo = deafTo
    }

    /// Applies the operations of a trace.
    mutating func apply(_ entries: some Sequence<FaultTrace.Entry>) {
        for entry in entries { apply(entry) }
    }

    private mutating func apply(_ entry: FaultTrace.Entry) {
        if entry.kind == .beside { return beside.append(entry.bytes) }
        if entry.kind == .opened && !entry.hasFailed && names[entry.file] == nil { make(entry.file) }
        guard let file = names[entry.file] else { return }
        switch (entry.kind, entry.hasFailed) {
        case (.synced, false): if entry.file != deafTo { sync(file) }
        case (.synced, true):
            files[file].durable = content(of: files[file])
            files[file].unsynced = []
        case (_, true), (.opened, _), (.marked, _), (.beside, _): break
        case (.found, _):
            files[file] = File(durable: Array(entry.bytes), syncsFolder: files[file].syncsFolder)
            syncFolder()
        case (.wrote, false): files[file].unsynced.append(.wrote(entry.offset, entry.bytes))
        case (.truncated, false): files[file].unsynced.append(.truncated(entry.offset))
        case (.deleted, false):
            names[entry.file] = nil
            unsyncedNames.append(.removed(entry.file))
            if entry.offset == 1 { syncFolder() }
        }
    }

    private mutating func make(_ name: String) {
        names[name] = files.count
        unsyncedNames.append(.made(name, files.count))
        files.append(File(syncsFolder: name != FaultTrace.database))
    }

    private mutating func sync(_ file: Int) {
        for change in files[file].unsynced { files[file].durable.apply(change) }
        files[file].unsynced = []
        if files[file].syncsFolder { syncFolder() }
        files[file].syncsFolder = false
    }

    private mutating func syncFolder() {
        durableNames = ForgetfulDisk.names(durableNames, after: unsyncedNames[...])
        unsyncedNames = []
    }

    private static func names(
        _ names: [String: Int], after changes: ArraySlice<NameChange>
    ) -> [String: Int] {
        var names = names
        for change in changes {
            switch change {
            case .made(let name, let file): names[name] = file
            case .removed(let name): names[name] = nil
            }
        }
        return names
    }

    /// The files by name that a power cut may leave now.
    mutating func afterPowerCut() -> [String: [UInt8]] {
        let count = random.number(0...unsyncedNames.count)
        let names = ForgetfulDisk.names(durableNames, after: unsyncedNames.prefix(count))
        var left: [String: [UInt8]] = [:]
        // Sort by name, so that the same seed gives the same result.
        for (name, file) in names.sorted(by: { $0.key < $1.key }) { left[name] = content(of: files[file]) }
        if !beside.isEmpty { left[FaultTrace.beside] = Array(random.pick(beside)) }
        return left
    }

    /// The synced content of a file with some of the unsynced changes. Each sector has one of its states
    /// since the sync.
    private mutating func content(of file: File) -> [UInt8] {
        var bytes = file.durable
        // The percentage of written sectors that did not reach the disk.
        let lost = random.pick([0, 2, 20, 50, 90, 100])
        var stale: Set<Int> = []
        for change in file.unsynced {
            switch change {
            case .truncated(let size): if !random.chance(lost) { bytes.apply(.truncated(size)) }
            case .wrote(let offset, let written):
                for part in ForgetfulDisk.sectors(offset, written) {
                    if stale.contains(part.sector) || random.chance(lost) {
                        stale.insert(part.sector)
                    } else {
                        bytes.apply(.wrote(part.offset, part.bytes))
                    }
                }
            }
        }
        return bytes
    }

    private static func sectors(
        _ offset: Int, _ written: ArraySlice<UInt8>
    ) -> [(sector: Int, offset: Int, bytes: ArraySlice<UInt8>)] {
        let end = offset + written.count
        return (offset / sector..<(end + sector - 1) / sector).map { number in
            let from = max(offset, number * sector)
            let to = min(end, (number + 1) * sector)
            let start = written.startIndex - offset
            return (number, from, written[(start + from)..<(start + to)])
        }
    }
}

extension [UInt8] {
    fileprivate mutating func apply(_ change: ForgetfulDisk.Change) {
        switch change {
        case .truncated(let size):
            if size < count { removeLast(count - size) } else { fill(to: size) }
        case .wrote(let offset, let written):
            fill(to: offset + written.count)
            replaceSubrange(offset..<offset + written.count, with: written)
        }
    }

    private mutating func fill(to size: Int) {
        if size > count { append(contentsOf: repeatElement(0, count: size - count)) }
    }
}
