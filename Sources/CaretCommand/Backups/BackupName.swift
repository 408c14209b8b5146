package import FoundationEssentials

/// The file name of a dated backup: `caret-backup-20261123-031500.sqlite`, with its time in UTC. Further
/// backups of the same second have a number: `caret-backup-20261123-031500-2.sqlite`.
///
/// The backups that a server makes in its own folder have other names.
package struct BackupName: Equatable, Sendable {
    /// `20261123-031500`.
    private let time: String
    /// 1 for the first backup of its second.
    private let number: Int

    private static let (start, end) = ("caret-backup-", ".sqlite")
    private static let timePattern = "dddddddd-dddddd"

    package init(at date: Date, number: Int = 1) {
        // `2026-11-23T03:15:00.000Z` without its milliseconds and its punctuation.
        let stamp = Stamp.universal(date).prefix { $0 != "." }
        time = stamp.filter { $0 != "-" && $0 != ":" }.replacing("T", with: "-")
        self.number = number
    }

    /// Nil for any file name that a dated backup cannot have.
    package init?(_ file: String) {
        guard file.utf8.starts(with: BackupName.start.utf8) else { return nil }
        let rest = file.utf8.dropFirst(BackupName.start.utf8.count)
        time = String(decoding: rest.prefix(BackupName.timePattern.utf8.count), as: UTF8.self)
        let isTime = time.utf8.elementsEqual(BackupName.timePattern.utf8) { byte, pattern in
            pattern == UInt8(ascii: "d") ? 0x30...0x39 ~= byte : byte == pattern
        }
        let suffix = rest.dropFirst(time.utf8.count).dropLast(BackupName.end.utf8.count)
        guard isTime,
            let number = suffix.isEmpty ? 1 : Int(String(decoding: suffix.dropFirst(), as: UTF8.self))
        else { return nil }
        self.number = number
        // Excludes all names that differ in any other way, such as `-02` or another ending.
        if number < 1 || !self.file.utf8.elementsEqual(file.utf8) { return nil }
    }

    package var file: String {
        BackupName.start + time + (number == 1 ? "" : "-\(number)") + BackupName.end
    }

    /// The backups to remove, the oldest first. `keep` backups stay: the new one and the newest others.
    package static func surplus(
        of all: [BackupName], keeping keep: Int, with new: BackupName
    ) -> [BackupName] {
        // The new backup stays even if a clock was wrong earlier and the others seem to be newer.
        Array(all.filter { $0 != new }.sorted { $0.isOlder(than: $1) }.dropLast(keep - 1))
    }

    private func isOlder(than other: BackupName) -> Bool {
        if !time.utf8.elementsEqual(other.time.utf8) {
            return time.utf8.lexicographicallyPrecedes(other.time.utf8)
        }
        return number < other.number
    }
}
