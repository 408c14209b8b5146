import CaretSync
import Glibc
import Synchronization

/// Buffered output to a standard stream. Only one task writes to it.
final class Output: Sendable {
    private struct State {
        var waiting: [UInt8] = []
        var hasFailed = false
    }

    private let descriptor: Int32
    private let state = Mutex(State())

    private static let piece = 1 << 16

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    var isTerminal: Bool { isatty(descriptor) == 1 }

    func write(_ text: String) { write(text.utf8) }

    func write(_ bytes: some Sequence<UInt8>) {
        let isFull = state.withLock { state in
            state.waiting.append(contentsOf: bytes)
            return state.waiting.count >= Output.piece
        }
        if isFull { _ = flush() }
    }

    /// Returns false if this or an earlier write failed.
    func flush() -> Bool {
        let bytes = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        let isOut = put(bytes)
        return state.withLock { state in
            if !isOut { state.hasFailed = true }
            return !state.hasFailed
        }
    }

    private func put(_ bytes: [UInt8]) -> Bool {
        do throws(FileFault) {
            try SystemFile.put(bytes[...], into: descriptor, "the output")
            return true
        } catch {
            return false
        }
    }
}
