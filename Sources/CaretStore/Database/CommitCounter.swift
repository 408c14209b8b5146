import CSQLite
import CaretFormat
import CaretLog
import Glibc

/// A small file beside the database, with the store's progress. It reveals that somebody has replaced the
/// database by an older copy.
///
/// The writer overwrites it after each commit, and does not sync it. So after a power cut the file may show
/// fewer commits than the database has, which is harmless. It never shows more. Use it only on the writer's
/// thread.
final class CommitCounter {
    /// The content of the file.
    enum Reading: Equatable {
        case none
        /// The file exists, but its digest does not match its content.
        case unreadable
        case progress(StoreProgress)

        /// The checkpoint number that the database must have reached; 0 if the counter does not name one.
        var checkpoints: Int64 {
            if case .progress(let progress) = self { progress.checkpoints } else { 0 }
        }
    }

    private static let length = 40

    private let folder: String
    private let file: Int32

    /// Opens the file in a folder. Creates it if it is missing.
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
        let progress = StoreProgress(
            generation: numbers[0], commits: Int64(bitPattern: numbers[1]),
            checkpoints: Int64(bitPattern: numbers[2]))
        return CommitCounter.bytes(of: progress).elementsEqual(bytes.dropLast())
            ? .progress(progress) : .unreadable
    }

    func write(_ progress: StoreProgress) throws(DatabaseFault) {
        let bytes = CommitCounter.bytes(of: progress)
        errno = 0
        if pwrite(file, bytes, bytes.count, 0) != bytes.count { throw fault() }
    }

    /// Removes bytes that follow the content, and makes sure that the file survives a power cut.
    func sync() throws(DatabaseFault) {
        if ftruncate(file, off_t(CommitCounter.length)) != 0 || fsync(file) != 0 { throw fault() }
        do throws(FileFault) { try syncFile(folder) } catch { throw fault() }
    }

    /// The `errno` of the last failed call, as a fault of the database.
    private func fault() -> DatabaseFault {
        let reason = errno
        return DatabaseFault(
            code: SQLITE_IOERR, message: "caret.commits: \(String(cString: strerror(reason)))",
            isOutOfSpace: FileFault(code: reason).isOutOfSpace)
    }

    private static func bytes(of progress: StoreProgress) -> [UInt8] {
        let numbers = [
            progress.generation, UInt64(bitPattern: progress.commits),
            UInt64(bitPattern: progress.checkpoints),
        ].map(\.littleEndian)
        let body = numbers.withUnsafeBytes { Array($0) }
        return body + SHA256.digest(of: body).bytes.prefix(length - body.count)
    }
}
