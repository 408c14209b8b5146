package import Glibc

/// A failed system call on a file.
package struct FileFault: Error, Equatable, Sendable, CustomStringConvertible {
    package let path: String
    let action: String
    package let code: Int32

    package init(_ action: String, _ path: String, _ code: Int32 = errno) {
        (self.action, self.path, self.code) = (action, path, code)
    }

    package var description: String { "\(path): could not \(action): \(reason)" }
    package var reason: String { String(cString: strerror(code)) }
    /// A file with that name exists.
    package var isExisting: Bool { code == EEXIST }
}

/// File operations by system calls.
package enum SystemFile {
    /// The metadata of a file. Nil if there is no file.
    static func status(_ path: String) throws(FileFault) -> stat? {
        var status = stat()
        if lstat(path, &status) == 0 { return status }
        if errno == ENOENT || errno == ENOTDIR { return nil }
        throw FileFault("look at it", path)
    }

    /// The bytes of a file. Nil if there is no file. Does not follow links.
    static func bytes(_ path: String) throws(FileFault) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        if descriptor < 0 {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw FileFault("open it", path)
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &piece, piece.count)
            if count == 0 { return bytes }
            if count < 0, errno != EINTR { throw FileFault("read it", path) }
            bytes += piece.prefix(max(0, count))
        }
    }

    /// Creates a file, syncs its bytes to disk, and returns its inode.
    @discardableResult
    package static func make(
        _ path: String, _ bytes: [UInt8], mode: mode_t, synced: Bool = true
    ) throws(FileFault) -> UInt {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        if descriptor < 0 { throw FileFault("make it", path) }
        defer { close(descriptor) }
        try put(bytes[...], into: descriptor, path)
        var status = stat()
        if synced && fsync(descriptor) != 0 || fstat(descriptor, &status) != 0 {
            throw FileFault("write it", path)
        }
        return status.st_ino
    }

    /// Writes all bytes at the current position of the descriptor.
    package static func put(
        _ bytes: ArraySlice<UInt8>, into descriptor: Int32, _ path: String
    ) throws(FileFault) {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno != EINTR { throw FileFault("write it", path) }
            rest = rest.dropFirst(max(0, count))
        }
    }

    /// Syncs the names in a path's folder to disk.
    package static func sync(folderOf path: String) throws(FileFault) {
        let name =
            path.utf8.lastIndex(of: UInt8(ascii: "/")).map {
                $0 == path.startIndex ? "/" : String(path[..<$0])
            } ?? "."
        let folder = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if folder < 0 { throw FileFault("open the folder", name) }
        defer { close(folder) }
        if fsync(folder) != 0 { throw FileFault("write the folder", name) }
    }

    /// Replaces a file. Readers always find either the complete old file or the complete new file.
    static func replace(_ path: String, _ bytes: [UInt8]) throws(FileFault) {
        try make(path + ".new", bytes, mode: 0o600)
        if rename(path + ".new", path) != 0 { throw FileFault("replace it", path) }
    }

    package static func remove(_ path: String) throws(FileFault) {
        if unlink(path) != 0, errno != ENOENT { throw FileFault("remove it", path) }
    }

    package static func makeFolder(_ path: String, mode: mode_t = 0o777) throws(FileFault) {
        if mkdir(path, mode) != 0, errno != EEXIST { throw FileFault("make the folder", path) }
    }

    /// The names in a folder, as bytes. Empty if there is no folder.
    package static func names(in path: String) throws(FileFault) -> [[UInt8]] {
        guard let folder = opendir(path) else {
            if errno == ENOENT || errno == ENOTDIR { return [] }
            throw FileFault("read the folder", path)
        }
        defer { closedir(folder) }
        var names: [[UInt8]] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if name != [0x2E], name != [0x2E, 0x2E] { names.append(name) }
        }
        return names
    }
}

/// The clocks of the system, in milliseconds.
package enum Milliseconds {
    /// A monotonic clock, which cannot be set.
    package static var steady: Int { now(CLOCK_MONOTONIC) }
    /// The time since 1970, like the times of files.
    static var wall: Int { now(CLOCK_REALTIME) }

    private static func now(_ clock: clockid_t) -> Int {
        var time = timespec()
        clock_gettime(clock, &time)
        return of(time)
    }

    static func of(_ time: timespec) -> Int { time.tv_sec * 1_000 + time.tv_nsec / 1_000_000 }
}
