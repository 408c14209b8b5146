#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

/// The system calls for a folder of unsaved edits.
///
/// An open file is identified by its descriptor. A call that fails throws the system's error code.
package protocol FileCalls: Sendable {
    func makeFolder(_ path: String) throws(FileCallFault)
    func open(_ path: String, _ flags: Int32) throws(FileCallFault) -> Int32
    /// Throws `EWOULDBLOCK` if another process has the lock.
    func lock(_ file: Int32) throws(FileCallFault)
    func read(_ file: Int32, into piece: inout [UInt8]) throws(FileCallFault) -> Int
    func write(_ file: Int32, _ bytes: ArraySlice<UInt8>) throws(FileCallFault) -> Int
    /// Makes the bytes of a file, or the names in a folder, survive a power loss.
    func sync(_ file: Int32) throws(FileCallFault)
    func close(_ file: Int32)
    func rename(_ path: String, to newPath: String) throws(FileCallFault)
    func remove(_ path: String) throws(FileCallFault)
    func names(in folder: String) throws(FileCallFault) -> [String]
}

package struct FileCallFault: Error, Equatable {
    let code: Int32

    package init(code: Int32) {
        self.code = code
    }
}

/// The real system calls.
struct SystemFiles: FileCalls {
    func makeFolder(_ path: String) throws(FileCallFault) { _ = try check(mkdir(path, 0o700)) }

    func open(_ path: String, _ flags: Int32) throws(FileCallFault) -> Int32 {
        try check(systemOpen(path, flags | O_CLOEXEC))
    }

    func lock(_ file: Int32) throws(FileCallFault) { _ = try check(flock(file, LOCK_EX | LOCK_NB)) }

    func read(_ file: Int32, into piece: inout [UInt8]) throws(FileCallFault) -> Int {
        let count = piece.count
        return try check { systemRead(file, &piece, count) }
    }

    func write(_ file: Int32, _ bytes: ArraySlice<UInt8>) throws(FileCallFault) -> Int {
        try check { bytes.withUnsafeBytes { systemWrite(file, $0.baseAddress, $0.count) } }
    }

    func sync(_ file: Int32) throws(FileCallFault) { _ = try check(systemSync(file)) }

    func close(_ file: Int32) { _ = systemClose(file) }

    func rename(_ path: String, to newPath: String) throws(FileCallFault) {
        _ = try check(systemRename(path, newPath))
    }

    func remove(_ path: String) throws(FileCallFault) { _ = try check(unlink(path)) }

    func names(in path: String) throws(FileCallFault) -> [String] {
        guard let folder = opendir(path) else { throw FileCallFault(code: errno) }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            names.append(
                withUnsafeBytes(of: entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return names
    }

    private func check(_ answer: Int32) throws(FileCallFault) -> Int32 {
        if answer < 0 { throw FileCallFault(code: errno) }
        return answer
    }

    /// Repeats a call that a signal has interrupted.
    private func check(_ call: () -> Int) throws(FileCallFault) -> Int {
        while true {
            let count = call()
            if count >= 0 { return count }
            if errno != EINTR { throw FileCallFault(code: errno) }
        }
    }
}
