import CaretCore
import Synchronization

/// A document on a terminal, with its scroll position.
final class WatchView: Sendable {
    private let terminal: Terminal
    private let scroll = Mutex(WatchScroll())

    init(on terminal: Terminal) { self.terminal = terminal }

    func press(_ bytes: ArraySlice<UInt8>) {
        let height = max(1, terminal.size.rows - 1)
        for key in WatchScroll.keys(in: bytes) {
            if key == .end { terminal.end() }
            scroll.withLock { $0.press(key, height: height) }
        }
    }

    func changed(_ change: Change) {
        guard let offset = change.edits.first?.range.lowerBound.value else { return }
        scroll.withLock { $0.changed(at: offset) }
    }

    func show(_ page: WatchPage) {
        let size = terminal.size
        terminal.show(scroll.withLock { page.rows(from: $0.top(in: page, size), size) })
    }
}
