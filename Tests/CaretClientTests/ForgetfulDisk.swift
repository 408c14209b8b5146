import CaretClient
import Glibc
import Synchronization

/// A disk in memory. A power loss removes everything that was not synced: bytes of files, and names in
/// folders.
final class ForgetfulDisk: FileCalls {
    private struct File {
        var bytes: [UInt8] = []
        var synced: [UInt8] = []
    }

    private enum Node {
        case file(Int)
        case folder
    }

    private struct State {
        var files: [Int: File] = [:]
        /// Files and folders by path, as a process sees them.
        var names: [String: Node] = ["/": .folder, ".": .folder]
        /// Files and folders by path, as they are after a power loss.
        var synced: [String: Node] = ["/": .folder, ".": .folder]
        var open: [Int32: (path: String, node: Node, offset: Int)] = [:]
        var locked: Int32?
        var lastFile = 0
        var lastDescriptor: Int32 = 2
        /// How many more calls succeed. After those calls every call fails, because the process is about to
        /// end.
        var callsLeft = Int.max
        /// Folders that the process is not allowed to read.
        var unreadable: Set<String> = []
        var calls = 0
    }

    private let state = Mutex(State())

    /// How many calls have succeeded.
    var calls: Int { state.withLock { $0.calls } }

    /// Lets this many more calls succeed. Then every call fails, until `killProcess` or `restart` is called.
    func failCalls(after calls: Int) { state.withLock { $0.callsLeft = calls } }

    /// Denies reading this folder from now on.
    func forbidReading(_ folder: String) { state.withLock { _ = $0.unreadable.insert(folder) } }

    /// Kills the process, but not the machine. The open files and the lock of the process are gone.
    /// Everything that it wrote stays.
    func killProcess() {
        state.withLock { ($0.open, $0.locked, $0.callsLeft) = ([:], nil, .max) }
    }

    /// Cuts the power and restores it. The process has ended, and everything that was not synced is lost.
    func restart() {
        state.withLock { state in
            // A folder whose name is lost loses its content too.
            state.names = state.synced.filter { state.synced[ForgetfulDisk.folder(of: $0.key)] != nil }
            state.synced = state.names
            for (number, file) in state.files {
                state.files[number] = File(bytes: file.synced, synced: file.synced)
            }
            (state.open, state.locked, state.callsLeft) = ([:], nil, .max)
        }
    }

    private func call<Answer: Sendable>(
        _ body: (inout State) throws(FileCallFault) -> Answer
    ) throws(FileCallFault) -> Answer {
        try state.withLock { state throws(FileCallFault) -> Answer in
            if state.callsLeft == 0 { throw FileCallFault(code: EIO) }
            state.callsLeft -= 1
            state.calls += 1
            return try body(&state)
        }
    }

    private static func folder(of path: String) -> String {
        let end = path.lastIndex(of: "/") ?? path.startIndex
        return end == path.startIndex ? "/" : String(path[..<end])
    }

    func makeFolder(_ path: String) throws(FileCallFault) {
        try call { state throws(FileCallFault) in
            if state.names[path] != nil { throw FileCallFault(code: EEXIST) }
            state.names[path] = .folder
        }
    }

    func open(_ path: String, _ flags: Int32) throws(FileCallFault) -> Int32 {
        try call { state throws(FileCallFault) in
            if state.names[path] == nil {
                if flags & O_CREAT == 0 || state.names[ForgetfulDisk.folder(of: path)] == nil {
                    throw FileCallFault(code: ENOENT)
                }
                state.lastFile += 1
                state.files[state.lastFile] = File()
                state.names[path] = .file(state.lastFile)
            }
            guard let node = state.names[path] else { throw FileCallFault(code: ENOENT) }
            if state.unreadable.contains(path) { throw FileCallFault(code: EACCES) }
            if case .file(let number) = node, flags & O_TRUNC != 0 { state.files[number]?.bytes = [] }
            state.lastDescriptor += 1
            state.open[state.lastDescriptor] = (path, node, 0)
            return state.lastDescriptor
        }
    }

    func lock(_ file: Int32) throws(FileCallFault) {
        try call { state throws(FileCallFault) in
            if state.locked != nil { throw FileCallFault(code: EWOULDBLOCK) }
            state.locked = file
        }
    }

    func read(_ file: Int32, into piece: inout [UInt8]) throws(FileCallFault) -> Int {
        let read = try call { state throws(FileCallFault) -> ArraySlice<UInt8> in
            guard let open = state.open[file], case .file(let number) = open.node else {
                throw FileCallFault(code: EBADF)
            }
            // Returns fewer bytes than the buffer has room for.
            let next = state.files[number]?.bytes.dropFirst(open.offset).prefix(1_000) ?? []
            state.open[file]?.offset += next.count
            return next
        }
        piece.replaceSubrange(0..<read.count, with: read)
        return read.count
    }

    func write(_ file: Int32, _ bytes: ArraySlice<UInt8>) throws(FileCallFault) -> Int {
        try call { state throws(FileCallFault) in
            guard case .file(let number)? = state.open[file]?.node else { throw FileCallFault(code: EBADF) }
            let written = bytes.prefix(100)
            state.files[number]?.bytes += written
            return written.count
        }
    }

    func sync(_ file: Int32) throws(FileCallFault) {
        try call { state throws(FileCallFault) in
            guard let open = state.open[file] else { throw FileCallFault(code: EBADF) }
            switch open.node {
            case .file(let number):
                let bytes = state.files[number]?.bytes ?? []
                state.files[number]?.synced = bytes
            case .folder:
                let isInside = { (path: String) in path != "/" && ForgetfulDisk.folder(of: path) == open.path
                }
                state.synced = state.synced.filter { !isInside($0.key) }
                for (path, node) in state.names where isInside(path) { state.synced[path] = node }
            }
        }
    }

    func close(_ file: Int32) {
        state.withLock { state in
            state.open[file] = nil
            if state.locked == file { state.locked = nil }
        }
    }

    func rename(_ path: String, to newPath: String) throws(FileCallFault) {
        try call { state throws(FileCallFault) in
            guard let node = state.names.removeValue(forKey: path) else { throw FileCallFault(code: ENOENT) }
            state.names[newPath] = node
        }
    }

    func remove(_ path: String) throws(FileCallFault) {
        try call { state throws(FileCallFault) in
            if state.names.removeValue(forKey: path) == nil { throw FileCallFault(code: ENOENT) }
        }
    }

    func names(in folder: String) throws(FileCallFault) -> [String] {
        try call { state throws(FileCallFault) in
            if state.names[folder] == nil { throw FileCallFault(code: ENOENT) }
            return state.names.keys.filter { $0 != "/" && ForgetfulDisk.folder(of: $0) == folder }
                .map { String($0.dropFirst(folder.count + 1)) }
        }
    }
}
