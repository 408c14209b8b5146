import CaretSync
import Foundation
import Synchronization
import TestSupport

/// A disk in memory, with a model of what remains after a power cut.
///
/// It behaves like file systems on Linux. Changes of names reach the disk in their order, at the latest when
/// their folder is synced. The name of a new file also reaches the disk when the file is synced. The bytes of
/// a file reach the disk when the file is synced. A power cut loses the rest: some of the last changes of
/// names, and all bytes that were not synced.
final class MemoryDisk: SyncDisk {
    /// A call by which the program reads or changes the disk.
    struct Call: Equatable, Sendable {
        var name: String
        var path: String
    }

    fileprivate struct File {
        var kind = FileStatus.Kind.file
        var bytes: [UInt8] = []
        var synced: [UInt8] = []
        var modified = 0
        var changed = 0
        var mode: UInt32 = 0o644
    }

    fileprivate struct State {
        var files: [UInt: File] = [:]
        var names: [String: UInt] = [:]
        var syncedNames: [String: UInt] = [:]
        /// The changes of names that are not synced. A power cut keeps or loses a step as a whole.
        var steps: [[(path: String, file: UInt?)]] = []
        var lastFile: UInt = 0
        /// How often names have changed.
        var changes = 0
        var canExchange = true
        var canLink = true
        /// A folder whose names cannot be read.
        var denied: String?
        /// The calls left until the program is killed; nil means never.
        var callsLeft: Int?
        var before: (@Sendable (Call) -> Void)?
    }

    private let state = Mutex(State())
    private let now: @Sendable () -> Int

    /// `now` is the wall clock, in milliseconds.
    init(now: @escaping @Sendable () -> Int) { self.now = now }

    /// The error that each call throws after the program was killed.
    static let killed = FileFault("go on", "the program was killed", ECANCELED)

    // MARK: For tests

    /// Sets a function that runs before each call.
    func watch(_ watcher: (@Sendable (Call) -> Void)?) { state.withLock { $0.before = watcher } }

    /// Kills the program after this many more calls. With nil, the program is not killed.
    func kill(after calls: Int?) { state.withLock { $0.callsLeft = calls } }

    func deny(_ folder: String?) { state.withLock { $0.denied = folder } }

    func cannotExchange(canLink: Bool = true) {
        state.withLock { ($0.canExchange, $0.canLink) = (false, canLink) }
    }

    /// What a power cut would do to a path at this moment.
    enum Loss: Equatable, Sendable {
        /// The path has no file then, or another one.
        case file
        case bytes
        /// A path that is free has a file again.
        case comesBack
    }

    /// The paths below a folder that a power cut would change at this moment.
    func losses(below folder: String) -> [String: Loss] {
        state.withLock { state in
            var losses: [String: Loss] = [:]
            for path in Set(state.names.keys).union(state.syncedNames.keys) where path.isBelow(folder) {
                let (now, then) = (state.names[path], state.syncedNames[path])
                if now == nil {
                    losses[path] = .comesBack
                } else if now != then {
                    losses[path] = .file
                } else if let file = now.flatMap({ state.files[$0] }), file.bytes != file.synced {
                    losses[path] = .bytes
                }
            }
            return losses
        }
    }

    /// How often names on this disk have changed.
    var changes: Int { state.withLock { $0.changes } }

    /// Whether the program was killed, so that all its calls fail.
    var isKilled: Bool { state.withLock { $0.callsLeft == 0 } }

    /// Cuts the power of the machine, and restarts it.
    func cutPower(_ random: inout Seeded) {
        state.withLock { state in
            let kept = random.number(0...state.steps.count)
            for step in state.steps.prefix(kept) { state.sync(step) }
            state.steps = []
            state.names = state.syncedNames
            for number in Array(state.files.keys) {
                let synced = state.files[number]?.synced ?? []
                state.files[number]?.bytes = synced
            }
            state.callsLeft = nil
        }
    }

    /// Saves a file as an editor does.
    func save(_ text: String, to path: String, asNewFile: Bool) {
        state.withLock { state in
            if !asNewFile, let file = state.names[path] {
                state.write(Array(text.utf8), to: file, at: tick)
                return
            }
            let file = state.make(Array(text.utf8), at: tick)
            state.change([(path, file)])
        }
    }

    /// Waits until everything saved is on disk, as an editor does.
    func syncAll() {
        state.withLock { state in
            for step in state.steps { state.sync(step) }
            state.steps = []
            for number in Array(state.names.values) { state.sync(number) }
        }
    }

    /// Writes into a file that was opened before, whatever its name is now.
    func write(_ text: String, intoFile number: UInt) {
        state.withLock { $0.write(Array(text.utf8), to: number, at: tick) }
    }

    func number(of path: String) -> UInt? { state.withLock { $0.names[path] } }

    func mode(_ path: String) -> UInt32? {
        state.withLock { state in state.names[path].flatMap { state.files[$0] }?.mode }
    }

    func setMode(byUser path: String, _ mode: UInt32) {
        state.withLock { state in
            guard let file = state.names[path] else { return }
            state.files[file]?.mode = mode
            state.files[file]?.changed = tick
        }
    }

    /// The names of all files below a folder, including hidden ones.
    func files(below folder: String) -> [String] {
        state.withLock { state in
            state.names.keys.filter { $0.isBelow(folder) }.map { $0.name(below: folder) }.sorted()
        }
    }

    func rename(byUser path: String, to new: String) {
        state.withLock { state in
            guard let file = state.names[path] else { return }
            state.change([(path, nil), (new, file)])
        }
    }

    /// Removes a file, or a folder with everything in it.
    func remove(byUser path: String) {
        state.withLock { state in
            let paths = [path] + state.names.keys.filter { $0.isBelow(path) }.sorted()
            state.change(paths.map { ($0, nil) })
        }
    }

    func makeFolder(byUser path: String) {
        state.withLock { state in
            let folder = state.make([], at: tick)
            state.files[folder]?.kind = .folder
            state.change([(path, folder)])
        }
    }

    func text(_ path: String) -> String? {
        state.withLock { state in
            state.names[path].flatMap { state.files[$0] }.flatMap {
                $0.kind == .file ? String(decoding: $0.bytes, as: UTF8.self) : nil
            }
        }
    }

    /// The texts of all files below a folder, without hidden ones.
    func texts(in folder: String) -> [String: String] {
        state.withLock { state in
            var texts: [String: String] = [:]
            for (path, file) in state.names where path.isBelow(folder) {
                let name = path.name(below: folder)
                guard let file = state.files[file], file.kind == .file else { continue }
                let isHidden = name.utf8.split(separator: UInt8(ascii: "/")).contains { part in
                    part.first == UInt8(ascii: ".") || part.last == UInt8(ascii: "~")
                }
                if isHidden { continue }
                texts[name] = String(decoding: file.bytes, as: UTF8.self)
            }
            return texts
        }
    }

    func isFolder(_ path: String) -> Bool {
        state.withLock { state in state.names[path].flatMap { state.files[$0] }?.kind == .folder }
    }

    /// The texts of all files on the disk, including hidden ones.
    var everything: [String] {
        state.withLock { state in
            state.names.values.compactMap { state.files[$0] }.map {
                String(decoding: $0.bytes, as: UTF8.self)
            }
        }
    }

    // MARK: For the synced program

    /// The kernel's time stamps advance in steps of 4 ms.
    private var tick: Int { now() / 4 * 4_000_000 }

    private func call<Answer>(
        _ name: String, _ path: String, _ body: (inout State) throws(FileFault) -> Answer
    ) throws(FileFault) -> Answer {
        let watcher = state.withLock { $0.before }
        watcher?(Call(name: name, path: path))
        let outcome = state.withLock { state -> Result<Answer, FileFault> in
            if let left = state.callsLeft {
                if left == 0 { return .failure(MemoryDisk.killed) }
                state.callsLeft = left - 1
            }
            do throws(FileFault) { return .success(try body(&state)) } catch { return .failure(error) }
        }
        return try outcome.get()
    }

    func status(_ path: String) throws(FileFault) -> FileStatus? {
        try call("status", path) { state in
            guard let number = state.names[path], let file = state.files[number] else { return nil }
            return FileStatus(
                inode: number, size: file.bytes.count, modified: file.modified, changed: file.changed,
                kind: file.kind, mode: file.mode)
        }
    }

    func bytes(_ path: String) throws(FileFault) -> [UInt8]? {
        try call("read", path) { state in
            state.names[path].flatMap { state.files[$0] }.flatMap { $0.kind == .file ? $0.bytes : nil }
        }
    }

    func names(in path: String) throws(FileFault) -> [[UInt8]] {
        try call("list", path) { state throws(FileFault) in
            if path == state.denied { throw FileFault("read the folder", path, EACCES) }
            return state.names.keys.filter { $0.isIn(path) }.map { $0.name(below: path) }
                .sorted().map { Array($0.utf8) }
        }
    }

    func make(_ path: String, _ bytes: [UInt8], mode: UInt32) throws(FileFault) -> UInt {
        try call("make", path) { state throws(FileFault) in
            try state.requireFolder(of: path)
            let file = state.names[path] ?? state.make([], at: tick)
            if state.names[path] == nil { state.change([(path, file)]) }
            state.write(bytes, to: file, at: tick)
            state.files[file]?.synced = bytes
            // The process has the usual umask.
            state.files[file]?.mode = mode & ~0o022
            state.syncNames { $0.path == path }
            return file
        }
    }

    func write(_ path: String, _ bytes: [UInt8], mode: UInt32) throws(FileFault) -> UInt {
        try call("write", path) { state throws(FileFault) in
            try state.requireFolder(of: path)
            let file = state.names[path] ?? state.make([], at: tick)
            if state.names[path] == nil { state.change([(path, file)]) }
            state.write(bytes, to: file, at: tick)
            state.files[file]?.mode = mode & ~0o022
            return file
        }
    }

    func setMode(_ path: String, _ mode: UInt32) throws(FileFault) {
        try call("set mode", path) { state throws(FileFault) in
            state.files[try state.file(path)]?.mode = mode
        }
    }

    func rename(_ path: String, to new: String) throws(FileFault) {
        try call("rename", path) { state throws(FileFault) in
            let file = try state.file(path)
            try state.requireFolder(of: new)
            if let old = state.names[new], state.files[old]?.kind == .folder {
                throw FileFault("rename it", new, EISDIR)
            }
            state.change([(path, nil), (new, file)])
            state.files[file]?.changed = tick
        }
    }

    func renameToNew(_ path: String, _ new: String) throws(FileFault) {
        try call("rename to new", new) { state throws(FileFault) in
            let file = try state.file(path)
            try state.requireFolder(of: new)
            if state.names[new] != nil { throw FileFault("create it", new, EEXIST) }
            state.change([(path, nil), (new, file)])
            state.files[file]?.changed = tick
        }
    }

    func exchange(_ path: String, with other: String) throws(FileFault) {
        try call("exchange", other) { state throws(FileFault) in
            if !state.canExchange { throw FileFault("replace it", other, EINVAL) }
            let (file, old) = (try state.file(path), try state.file(other))
            state.change([(path, old), (other, file)])
            state.files[file]?.changed = tick
            state.files[old]?.changed = tick
        }
    }

    func link(_ path: String, as new: String) throws(FileFault) {
        try call("link", path) { state throws(FileFault) in
            if !state.canLink { throw FileFault("link it", new, EPERM) }
            let file = try state.file(path)
            if state.names[new] != nil { throw FileFault("link it", new, EEXIST) }
            state.change([(new, file)])
        }
    }

    func remove(_ path: String) throws(FileFault) {
        try call("remove", path) { state in
            if state.names[path] != nil { state.change([(path, nil)]) }
        }
    }

    func makeFolder(_ path: String, mode: UInt32) throws(FileFault) {
        try call("make folder", path) { state throws(FileFault) in
            if state.names[path] != nil { return }
            try state.requireFolder(of: path)
            let folder = state.make([], at: tick)
            state.files[folder]?.kind = .folder
            state.files[folder]?.mode = mode & ~0o022
            state.change([(path, folder)])
        }
    }

    func removeFolder(_ path: String) -> Bool {
        // If the call fails for any reason, no folder was removed.
        (try? call("remove folder", path) { state in
            guard let folder = state.names[path], state.files[folder]?.kind == .folder else { return false }
            if state.names.keys.contains(where: { $0.isBelow(path) }) { return false }
            state.change([(path, nil)])
            return true
        }) ?? false
    }

    func sync(file path: String) throws(FileFault) {
        try call("sync", path) { state in
            if let file = state.names[path] { state.sync(file) }
        }
    }

    /// Nothing is on disk for certain before the sync that follows.
    func beginSync(file path: String) {}

    func sync(folder path: String) throws(FileFault) {
        try call("sync folder", path) { state in
            state.syncNames { (path + "/").isBelow($0.path) || $0.path.isIn(path) }
        }
    }

    func lock(_ path: String) throws(FileFault) -> (any Sendable)? {
        if try status(path) == nil { _ = try make(path, [], mode: 0o600) }
        return path
    }
}

extension String {
    /// Whether the path is inside the folder, at any depth. It compares bytes, since a slash may form one
    /// Character with the letter before it or the mark after it. It runs for each name at each call, so it
    /// uses C functions for speed.
    fileprivate func isBelow(_ folder: String) -> Bool {
        let count = folder.utf8.count
        guard utf8.count > count else { return false }
        return withCString { $0[count] == 0x2F && strncmp($0, folder, count) == 0 }
    }

    /// Whether the path is directly inside the folder.
    fileprivate func isIn(_ folder: String) -> Bool {
        isBelow(folder) && withCString { strchr($0 + folder.utf8.count + 1, 0x2F) == nil }
    }

    /// The path relative to a folder that contains it.
    fileprivate func name(below folder: String) -> String {
        withCString { String(cString: $0 + folder.utf8.count + 1) }
    }
}

extension MemoryDisk.State {
    fileprivate mutating func make(_ bytes: [UInt8], at time: Int) -> UInt {
        lastFile += 1
        files[lastFile] = MemoryDisk.File(bytes: bytes, modified: time, changed: time)
        return lastFile
    }

    fileprivate mutating func write(_ bytes: [UInt8], to file: UInt, at time: Int) {
        files[file]?.bytes = bytes
        files[file]?.modified = time
        files[file]?.changed = time
    }

    fileprivate mutating func change(_ step: [(path: String, file: UInt?)]) {
        for (path, file) in step { names[path] = file }
        steps.append(step)
        changes += 1
    }

    fileprivate mutating func sync(_ step: [(path: String, file: UInt?)]) {
        for (path, file) in step { syncedNames[path] = file }
    }

    /// Syncs the steps that changed a matching name. It also syncs the earlier steps that they depend on.
    /// Otherwise a file and a folder could have the same name.
    fileprivate mutating func syncNames(where isMeant: ((path: String, file: UInt?)) -> Bool) {
        var (chosen, left, paths) = (
            [[(path: String, file: UInt?)]](), [[(path: String, file: UInt?)]](), Set<String>()
        )
        for step in steps.reversed() {
            let isBelow = step.contains { name in paths.contains { (name.path + "/").isBelow($0) } }
            if isBelow || step.contains(where: isMeant) {
                chosen.append(step)
                paths.formUnion(step.map(\.path))
            } else {
                left.append(step)
            }
        }
        for step in chosen.reversed() { sync(step) }
        steps = left.reversed()
    }

    fileprivate mutating func sync(_ file: UInt) {
        let bytes = files[file]?.bytes ?? []
        files[file]?.synced = bytes
    }

    fileprivate func file(_ path: String) throws(FileFault) -> UInt {
        guard let file = names[path] else { throw FileFault("find it", path, ENOENT) }
        return file
    }

    fileprivate func requireFolder(of path: String) throws(FileFault) {
        let folder = path.prefix(upTo: path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex)
        if folder.isEmpty { return }
        guard let found = names[String(folder)], files[found]?.kind == .folder else {
            throw FileFault("find its folder", path, ENOTDIR)
        }
    }
}
