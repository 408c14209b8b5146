import Dispatch
import Foundation
import Synchronization

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

    init(of pipe: Pipe) {
        pipe.fileHandleForReading.readabilityHandler = { [self] file in
            let more = file.availableData
            if more.isEmpty { file.readabilityHandler = nil }
            state.withLock { state in
                state.bytes += more
                if more.isEmpty { state.hasEnded = true }
            }
            arrival.signal()
        }
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
