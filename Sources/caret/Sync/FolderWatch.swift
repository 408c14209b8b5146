import Dispatch
import Glibc

/// Tells when something in a folder may have changed. It can miss something; a scan finds it.
final class FolderWatch {
    private let descriptor: Int32
    private let source: any DispatchSourceRead

    private static let events =
        IN_CLOSE_WRITE | IN_MODIFY | IN_MOVED_FROM | IN_MOVED_TO | IN_CREATE | IN_DELETE | IN_ATTRIB

    init(ring bell: Bell) throws(FileFault) {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        if descriptor < 0 { throw FileFault("watch it", "the folder") }
        self.descriptor = descriptor
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global())
        source.setEventHandler {
            var events = [UInt8](repeating: 0, count: 1 << 14)
            while read(descriptor, &events, events.count) > 0 {}
            bell.ring()
        }
        source.setCancelHandler { close(descriptor) }
        source.resume()
    }

    deinit { source.cancel() }

    /// Watches these folders, too. Where the system has no more watches, the next scan is what finds a change.
    func watch(_ folders: [String]) {
        // The system knows a folder that it watches already, by what it is and not by its name.
        for folder in folders { _ = inotify_add_watch(descriptor, folder, UInt32(FolderWatch.events)) }
    }
}
