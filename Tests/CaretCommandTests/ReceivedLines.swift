import Dispatch
import Foundation
import Glibc
import Synchronization
import TestSupport

/// The lines that a program writes. They are read as soon as they arrive, so a full pipe never blocks the program.
final class ReceivedLines: Sendable {
    private enum Next {
        case line(Data)
        case nothingYet
        case end
    }

    private struct State {
        var bytes = Data()
        var hasEnded = false

        mutating func next() -> Next {
            guard let end = bytes.firstIndex(of: 0x0A) else { return hasEnded ? .end : .nothingYet }
            defer { bytes = Data(bytes[(end + 1)...]) }
            return .line(Data(bytes[..<end]))
        }
    }

    private let state = Mutex(State())
    private let arrival = DispatchSemaphore(value: 0)

    /// Reads a copy of the descriptor, because the output may end after the object of its program.
    ///
    /// The reader is a thread. Handlers of Foundation and Dispatch would need a thread of the pool that runs the tests,
    /// and all of these may be waiting for lines.
    init(of descriptor: Int32) {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        Thread.detachNewThread { [self] in
            repeat {
                receive(ChildProgram.nextBytes(copy))
            } while !state.withLock { $0.hasEnded }
            close(copy)
        }
    }

    /// Stores what was read. Nothing stands for the end.
    private func receive(_ more: [UInt8]) {
        state.withLock { state in
            state.bytes += more
            state.hasEnded = more.isEmpty
        }
        arrival.signal()
    }

    /// Waits for the next line. Returns nil if the program writes no more, or if no line arrives in time.
    func next(before end: DispatchTime = .now() + .seconds(30)) -> Data? {
        while true {
            switch state.withLock({ $0.next() }) {
            case .line(let line): return line
            case .end: return nil
            case .nothingYet: if arrival.wait(timeout: end) == .timedOut { return nil }
            }
        }
    }
}
