import CSQLite
import CaretLog
import Glibc

/// The small file beside the database that holds the store's place, so that an older database that was put in its
/// stead is told by it.
///
/// It is written over after each group and not synced: after a power cut it is behind the database, which is as it
/// should be, but never before it. Confined to the writer's thread.
final class CommitCounter {
    /// What the file says.
    enum Reading: Equatable {
        case none
        /// It is there, and its digest is not that of what it says.
        case unreadable
        case place(StorePlace)

        /// So many checkpoints the database bears for certain.
        var checkpoints: Int64 {
            if case .place(let place) = self { place.checkpoints } else { 0 }
        }
    }

    private static let length = 40

    private let folder: String
    private let file: Int32

    /// Opens the file in a folder, or makes it.
    init(folder: String) throws(OpeningFault) {
        self.folder = folder
        file = open(folder + "/caret.commits", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if file < 0 { throw .system(errno) }
    }

    deinit { close(file) }

    func read() throws(OpeningFault) -> Reading {
        var bytes = [UInt8](repeating: 0, count: CommitCounter.length + 1)
        let count = pread(file, &bytes, bytes.count, 0)
        if count < 0 { throw .system(errno) }
        if count == 0 { return .none }
        guard count == CommitCounter.length else { return .unreadable }
        let numbers = bytes.withUnsafeBytes { raw in
            (0..<3).map { UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self)) }
        }
        let place = StorePlace(
            generation: numbers[0], commits: Int64(bitPattern: numbers[1]),
            checkpoints: Int64(bitPattern: numbers[2]))
        return CommitCounter.bytes(of: place).elementsEqual(bytes.dropLast()) ? .place(place) : .unreadable
    }

    func write(_ place: StorePlace) throws(DatabaseFault) {
        let bytes = CommitCounter.bytes(of: place)
        errno = 0
        if pwrite(file, bytes, bytes.count, 0) != bytes.count { throw fault() }
    }

    /// From now on the file is there, whatever happens to the machine.
    func sync() throws(DatabaseFault) {
        if fsync(file) != 0 { throw fault() }
        do throws(FileFault) { try syncFile(folder) } catch { throw fault() }
    }

    /// Why the last call failed, as any other fault of the disk.
    private func fault() -> DatabaseFault {
        let reason = errno
        return DatabaseFault(
            code: SQLITE_IOERR, message: "caret.commits: \(String(cString: strerror(reason)))",
            isOutOfSpace: reason == ENOSPC || reason == EDQUOT)
    }

    private static func bytes(of place: StorePlace) -> [UInt8] {
        let numbers = [
            place.generation, UInt64(bitPattern: place.commits), UInt64(bitPattern: place.checkpoints),
        ].map(\.littleEndian)
        let body = numbers.withUnsafeBytes { Array($0) }
        return body + SHA256.digest(of: body).bytes.prefix(length - body.count)
    }
}
