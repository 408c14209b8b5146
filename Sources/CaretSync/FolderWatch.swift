import CLinux
@preconcurrency import Dispatch
import Glibc
import Synchronization

/// Reports which files of a folder may have changed.
package final class FolderWatch: Sendable {
    /// The changes since the last call of `takeChanges`.
    package struct Changes: Equatable, Sendable {
        /// The paths of files that may have changed, relative to the synced folder.
        package var files: Set<String> = []
        /// True if other files may have changed too.
        package var needsScan = false

        package init(files: Set<String> = [], needsScan: Bool = false) {
            self.files = files
            self.needsScan = needsScan
        }
    }

    fileprivate struct State {
        /// By inotify's number: the path of a watched folder, relative to the synced folder, with a slash at
        /// its end.
        var folders: [Int32: String] = [:]
        var changes = Changes()
        /// inotify refused to watch a folder, or the synced folder is on a remote file system.
        var isIncomplete = false
    }

    private let state = Mutex(State())
    private let descriptor: Int32
    private let source: any DispatchSourceRead

    private static let events =
        IN_CLOSE_WRITE | IN_MODIFY | IN_MOVED_FROM | IN_MOVED_TO | IN_CREATE | IN_DELETE | IN_ATTRIB
    /// The numbers of file systems that other machines can write to. inotify does not report changes by other
    /// machines.
    private static let remote: Set<Int> = [
        0x6969, 0xFF53_4D42, 0xFE53_4D42, 0x517B, 0x6573_5546, 0x0102_1997,
    ]

    package init(ring bell: Bell) throws(FileFault) {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        if descriptor < 0 { throw FileFault("watch it", "the folder") }
        self.descriptor = descriptor
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global())
        source.setEventHandler { [weak self] in
            self?.readEvents()
            bell.ring()
        }
        source.setCancelHandler { close(descriptor) }
        source.resume()
    }

    deinit { source.cancel() }

    /// Starts to watch a folder. `path` is empty for the synced folder itself.
    package func watch(_ path: String, _ full: String) {
        let number = inotify_add_watch(descriptor, full, UInt32(FolderWatch.events))
        state.withLock { state in
            // A renamed folder keeps its number, so this updates the path.
            if number >= 0 { state.folders[number] = path.isEmpty ? "" : path + "/" }
            if number < 0 || path.isEmpty && FolderWatch.isRemote(full) { state.isIncomplete = true }
        }
    }

    /// Whether inotify reports all changes.
    package var isComplete: Bool { state.withLock { !$0.isIncomplete } }

    package func takeChanges() -> Changes {
        state.withLock { state in
            defer { state.changes = Changes() }
            return state.changes
        }
    }

    private static func isRemote(_ path: String) -> Bool {
        remote.contains(Int(caret_file_system(path)) & 0xFFFF_FFFF)
    }

    private func readEvents() {
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count <= 0 { return }
            buffer.withUnsafeBytes { bytes in
                state.withLock { $0.add(UnsafeRawBufferPointer(rebasing: bytes[..<count])) }
            }
        }
    }
}

extension FolderWatch.State {
    fileprivate mutating func add(_ events: UnsafeRawBufferPointer) {
        let header = MemoryLayout<inotify_event>.size
        var offset = 0
        while offset + header <= events.count {
            let event = events.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            let name = events[(offset + header)..<min(events.count, offset + header + Int(event.len))]
            offset += header + Int(event.len)
            add(event, name: Array(name.prefix { $0 != 0 }))
        }
    }

    private mutating func add(_ event: inotify_event, name: [UInt8]) {
        if event.mask & UInt32(IN_IGNORED) != 0 {
            folders[event.wd] = nil
        } else if event.mask & UInt32(IN_Q_OVERFLOW | IN_ISDIR) != 0 {
            changes.needsScan = true
        } else if let folder = folders[event.wd], let name = String(validating: name, as: UTF8.self) {
            if folder.isEmpty, name == IgnoreFile.name { changes.needsScan = true }
            if !name.isEmpty, !SyncNames.isIgnored(name) { changes.files.insert(folder + name) }
        } else {
            changes.needsScan = true
        }
    }
}
