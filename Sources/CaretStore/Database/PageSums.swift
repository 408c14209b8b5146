import CSQLite
import CZlib
import Glibc

/// A layer between SQLite and the files of the system. It writes a checksum to every page of a database file.
/// The checksum covers the page's content and number. If a page that is read has a wrong checksum, the layer
/// reports damage. It also reports a page that is older than the one that this process has written.
///
/// SQLite checks the frames of its log only when it opens the log, and later trusts what it reads. So this
/// layer checks the checksum of each frame whenever the frame is read. It collects the frames of a commit and
/// writes them together before the sync; no reader needs them before. The layer is a VFS above the default
/// one. It changes only how pages are read and written.
package enum PageSums {
    package static let pageSize = 4096
    /// The bytes that SQLite leaves free at the end of every page.
    static let reservedBytes = 4

    /// The name of the VFS, which is registered at first use. It is nil if SQLite refused the VFS.
    static let vfsName = register("caret-sums", over: nil)

    /// The same layer above SQLite's VFS `unix-excl`, which keeps the index of a log in memory, and locks
    /// other processes out.
    static let vfsNameWithIndexInMemory = register("caret-sums-alone", over: "unix-excl")

    private static func register(_ name: String, over base: String?) -> String? {
        guard let base = sqlite3_vfs_find(base) else { return nil }
        // SQLite keeps the addresses of the layer and of its name, so their memory is never freed.
        let layer = UnsafeMutablePointer<Layer>.allocate(capacity: 1)
        let address = strdup(name)
        // Copy the base VFS, and replace only its method for opening.
        var vfs = base.pointee
        vfs.zName = UnsafePointer(address)
        vfs.szOsFile = Int32(Tail.offset(after: base) + MemoryLayout<Tail>.size)
        vfs.xOpen = { PageSums.open($0, $1, $2, $3, $4) }
        layer.initialize(to: Layer(vfs: vfs, base: base))
        let own = UnsafeMutableRawPointer(layer).assumingMemoryBound(to: sqlite3_vfs.self)
        return sqlite3_vfs_register(own, 0) == SQLITE_OK ? name : nil
    }

    /// The memory of this VFS. SQLite knows only its first part, `vfs`.
    private struct Layer {
        var vfs: sqlite3_vfs
        let base: UnsafeMutablePointer<sqlite3_vfs>
    }

    /// The memory of an open file begins with the data of the base VFS. This struct follows: the methods that
    /// SQLite calls, and the data of this layer.
    private struct Tail {
        var methods: sqlite3_io_methods
        let base: UnsafePointer<sqlite3_io_methods>
        /// The buffer of a log; nil for a database.
        let log: UnsafeMutablePointer<LogBuffer>?
        /// What was written to a database; nil for a log.
        let database: (file: FileIdentity, pages: WrittenPages)?

        static func offset(after base: UnsafeMutablePointer<sqlite3_vfs>) -> Int {
            let alignment = MemoryLayout<Tail>.alignment
            return (Int(base.pointee.szOsFile) + alignment - 1) / alignment * alignment
        }
    }

    private static func open(
        _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?,
        _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32, _ answered: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        guard let vfs, let file else { return SQLITE_MISUSE }
        let base = UnsafeRawPointer(vfs).assumingMemoryBound(to: Layer.self).pointee.base
        let code = base.pointee.xOpen(base, name, file, flags, answered)
        let (isDatabase, isLog) = (flags & SQLITE_OPEN_MAIN_DB != 0, flags & SQLITE_OPEN_WAL != 0)
        guard code == SQLITE_OK, isDatabase || isLog, let methods = file.pointee.pMethods else { return code }
        var own = methods.pointee
        if isDatabase {
            // Leave out the newer methods, which map a file into memory. Pages in mapped memory would not be
            // checked.
            own.iVersion = min(own.iVersion, 2)
            own.xRead = { PageSums.read($0, $1, $2, $3) }
            own.xWrite = { PageSums.write($0, $1, $2, $3) }
            own.xTruncate = { PageSums.truncate($0, $1) }
        } else {
            own.xRead = { PageSums.readLog($0, $1, $2, $3) }
            own.xWrite = { PageSums.writeLog($0, $1, $2, $3) }
            own.xSync = { file, flags in PageSums.afterLog(file) { $0.pointee.xSync(file, flags) } }
            own.xTruncate = { file, size in PageSums.afterLog(file) { $0.pointee.xTruncate(file, size) } }
            own.xFileSize = { file, size in PageSums.afterLog(file) { $0.pointee.xFileSize(file, size) } }
        }
        own.xClose = { PageSums.close($0) }
        let tail = (UnsafeMutableRawPointer(file) + Tail.offset(after: base)).bindMemory(
            to: Tail.self, capacity: 1)
        var log: UnsafeMutablePointer<LogBuffer>?
        if isLog {
            log = .allocate(capacity: 1)
            log?.initialize(to: LogBuffer())
        }
        var database: (FileIdentity, WrittenPages)?
        if isDatabase, let name {
            let identity = FileIdentity(String(cString: name))
            database = (identity, WrittenPages.acquire(identity))
        }
        tail.initialize(to: Tail(methods: own, base: methods, log: log, database: database))
        file.pointee.pMethods = UnsafeRawPointer(tail).assumingMemoryBound(to: sqlite3_io_methods.self)
        return code
    }

    /// The methods of the base VFS. `pMethods` points to the beginning of the tail.
    private static func base(
        of file: UnsafeMutablePointer<sqlite3_file>
    ) -> UnsafePointer<sqlite3_io_methods> {
        tail(of: file).base
    }

    private static func tail(of file: UnsafeMutablePointer<sqlite3_file>) -> Tail {
        UnsafeRawPointer(file.pointee.pMethods).assumingMemoryBound(to: Tail.self).pointee
    }

    private static func read(
        _ file: UnsafeMutablePointer<sqlite3_file>?, _ buffer: UnsafeMutableRawPointer?, _ count: Int32,
        _ offset: sqlite3_int64
    ) -> Int32 {
        guard let file, let buffer else { return SQLITE_MISUSE }
        let code = base(of: file).pointee.xRead(file, buffer, count, offset)
        // If a file ends inside a page, the rest of the page reads as zeros.
        guard code == SQLITE_OK || code == caret_sqlite_ioerr_short_read(), isPage(count, offset) else {
            return code
        }
        let page = UnsafeRawBufferPointer(start: buffer, count: pageSize)
        let isCurrent =
            tail(of: file).database?.pages.isCurrent(storedSum(of: page), ofPage: number(at: offset)) ?? true
        return isCurrent && isSound(page, at: offset) ? code : caret_sqlite_ioerr_data()
    }

    private static func write(
        _ file: UnsafeMutablePointer<sqlite3_file>?, _ buffer: UnsafeRawPointer?, _ count: Int32,
        _ offset: sqlite3_int64
    ) -> Int32 {
        guard let file, let buffer else { return SQLITE_MISUSE }
        let tail = tail(of: file)
        guard isPage(count, offset) else { return tail.base.pointee.xWrite(file, buffer, count, offset) }
        return withUnsafeTemporaryAllocation(byteCount: pageSize, alignment: 8) { page in
            page.copyMemory(from: UnsafeRawBufferPointer(start: buffer, count: pageSize))
            let sum = sum(of: UnsafeRawBufferPointer(page), at: offset)
            page.storeBytes(
                of: sum.littleEndian, toByteOffset: pageSize - reservedBytes, as: UInt32.self)
            let code = tail.base.pointee.xWrite(file, page.baseAddress, count, offset)
            tail.database?.pages.record(code == SQLITE_OK ? sum : nil, ofPage: number(at: offset))
            return code
        }
    }

    private static func truncate(_ file: UnsafeMutablePointer<sqlite3_file>?, _ size: sqlite3_int64) -> Int32
    {
        guard let file else { return SQLITE_MISUSE }
        let tail = tail(of: file)
        tail.database?.pages.truncate(to: number(at: size))
        return tail.base.pointee.xTruncate(file, size)
    }

    /// Reads from a log. If a page of a frame is read, checks the frame's checksum.
    private static func readLog(
        _ file: UnsafeMutablePointer<sqlite3_file>?, _ buffer: UnsafeMutableRawPointer?, _ count: Int32,
        _ offset: sqlite3_int64
    ) -> Int32 {
        guard let file, let buffer else { return SQLITE_MISUSE }
        let written = flushLog(file)
        if written != SQLITE_OK { return written }
        let base = base(of: file)
        guard let frame = LogFrame(ofPage: count, at: offset) else {
            return base.pointee.xRead(file, buffer, count, offset)
        }
        return LogFrame.withFrameBuffer { bytes, page in
            let code = base.pointee.xRead(file, bytes.baseAddress, Int32(bytes.count), frame.start)
            if code != SQLITE_OK { return code }
            let isSound = frame.isSound(UnsafeRawBufferPointer(bytes)) { target, position in
                base.pointee.xRead(file, target.baseAddress, Int32(target.count), position) == SQLITE_OK
            }
            if !isSound { return caret_sqlite_ioerr_data() }
            buffer.copyMemory(from: page.baseAddress.unsafelyUnwrapped, byteCount: page.count)
            return SQLITE_OK
        }
    }

    private static func writeLog(
        _ file: UnsafeMutablePointer<sqlite3_file>?, _ buffer: UnsafeRawPointer?, _ count: Int32,
        _ offset: sqlite3_int64
    ) -> Int32 {
        guard let file, let buffer, let log = tail(of: file).log else { return SQLITE_MISUSE }
        let piece = UnsafeRawBufferPointer(start: buffer, count: Int(count))
        if log.pointee.append(piece, at: offset) { return SQLITE_OK }
        let code = flushLog(file)
        if code != SQLITE_OK || log.pointee.append(piece, at: offset) { return code }
        return base(of: file).pointee.xWrite(file, buffer, count, offset)
    }

    /// Writes the collected pieces to the log.
    private static func flushLog(_ file: UnsafeMutablePointer<sqlite3_file>) -> Int32 {
        let tail = tail(of: file)
        guard let log = tail.log, !log.pointee.isEmpty else { return SQLITE_OK }
        return log.pointee.flush {
            tail.base.pointee.xWrite(file, $0.baseAddress, Int32($0.count), $1)
        }
    }

    private static func afterLog(
        _ file: UnsafeMutablePointer<sqlite3_file>?,
        _ body: (UnsafePointer<sqlite3_io_methods>) -> Int32
    ) -> Int32 {
        guard let file else { return SQLITE_MISUSE }
        let code = flushLog(file)
        return code == SQLITE_OK ? body(base(of: file)) : code
    }

    private static func close(_ file: UnsafeMutablePointer<sqlite3_file>?) -> Int32 {
        guard let file else { return SQLITE_MISUSE }
        let (written, tail) = (flushLog(file), tail(of: file))
        tail.log?.deinitialize(count: 1)
        tail.log?.deallocate()
        if let database = tail.database { WrittenPages.release(database.file) }
        UnsafeMutableRawPointer(mutating: UnsafeRawPointer(file.pointee.pMethods))
            .assumingMemoryBound(to: Tail.self).deinitialize(count: 1)
        let closed = tail.base.pointee.xClose(file)
        return written == SQLITE_OK ? closed : written
    }

    /// Whether a whole page is read or written. Sometimes SQLite reads only the header of a database, which
    /// cannot be checked.
    private static func isPage(_ count: Int32, _ offset: sqlite3_int64) -> Bool {
        count == Int32(pageSize) && offset % sqlite3_int64(pageSize) == 0
    }

    private static func isSound(_ page: UnsafeRawBufferPointer, at offset: sqlite3_int64) -> Bool {
        if storedSum(of: page) == sum(of: page, at: offset) { return true }
        // Zeros are accepted: a page that was never written is a hole in the file, and reads as zeros. Where
        // a page of a tree is expected, SQLite refuses zeros itself. The bytes of segments and snapshots have
        // their own digests, which reveal zeros.
        return page.allSatisfy { $0 == 0 }
    }

    private static func storedSum(of page: UnsafeRawBufferPointer) -> UInt32 {
        UInt32(
            littleEndian: page.loadUnaligned(
                fromByteOffset: pageSize - reservedBytes, as: UInt32.self))
    }

    /// The number of the page at an offset, counted from 0.
    private static func number(at offset: sqlite3_int64) -> Int { Int(offset) / pageSize }

    private static func sum(of page: UnsafeRawBufferPointer, at offset: sqlite3_int64) -> UInt32 {
        let number = UInt32(truncatingIfNeeded: number(at: offset) + 1)
        let start = withUnsafeBytes(of: number.littleEndian) { crc32($0, continuing: 0) }
        return crc32(UnsafeRawBufferPointer(rebasing: page.dropLast(reservedBytes)), continuing: start)
    }

    private static func crc32(_ bytes: UnsafeRawBufferPointer, continuing sum: UInt32) -> UInt32 {
        let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        return UInt32(CZlib.crc32(UInt(sum), start, UInt32(bytes.count)))
    }
}
