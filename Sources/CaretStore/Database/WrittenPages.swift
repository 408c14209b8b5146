import Glibc
import Synchronization

/// The checksum of each page that this process has written to a database file. All connections to the file
/// share it.
///
/// If a disk loses a write, the old page has a correct checksum of its own. Only a comparison with what was
/// written shows that it is out of date. It takes four bytes of memory for each page.
final class WrittenPages: Sendable {
    private let sums = Mutex<[UInt32]>([])

    /// The files that are open, each with the number of its connections.
    private static let open = Mutex<[FileIdentity: (pages: WrittenPages, users: Int)]>([:])

    /// The pages of a file. Each call needs a call of `release`.
    static func acquire(_ file: FileIdentity) -> WrittenPages {
        open.withLock { open in
            var entry = open[file] ?? (WrittenPages(), 0)
            entry.users += 1
            open[file] = entry
            return entry.pages
        }
    }

    static func release(_ file: FileIdentity) {
        open.withLock { open in
            guard var entry = open[file] else { return }
            entry.users -= 1
            open[file] = entry.users == 0 ? nil : entry
        }
    }

    /// Whether a page with this checksum can be the page that was written last.
    func isCurrent(_ sum: UInt32, ofPage number: Int) -> Bool {
        sums.withLock { sums in
            // 0 stands for a page that this process has not written.
            number >= sums.count || sums[number] == 0 || sums[number] == sum
        }
    }

    /// Records a page that was written. Nil means that it is not known what the file contains.
    func record(_ sum: UInt32?, ofPage number: Int) {
        sums.withLock { sums in
            if number >= sums.count {
                sums.append(contentsOf: repeatElement(0, count: number + 1 - sums.count))
            }
            sums[number] = sum ?? 0
        }
    }

    /// Forgets the pages after a new end of the file.
    func truncate(to count: Int) {
        sums.withLock { sums in
            if count < sums.count { sums.removeSubrange(count...) }
        }
    }
}
