import Glibc
import Synchronization

/// Writes events to standard error, one line for each. Any thread may call it.
package final class LogWriter: Sendable {
    private let queue = Mutex(LogQueue())
    private let format: LogFormat
    /// The rank of the lowest level that is written.
    private let lowestRank: Atomic<Int>
    /// Milliseconds since 1970.
    private let now: @Sendable () -> Int64
    private let put: @Sendable ([UInt8]) -> LogQueue.Outcome

    package init(
        format: LogFormat, level: LogLevel, descriptor: Int32 = STDERR_FILENO,
        now: @escaping @Sendable () -> Int64 = { LogWriter.systemTime() }
    ) {
        self.format = format
        lowestRank = Atomic(level.rank)
        self.now = now
        put = { Self.put($0, descriptor) }
    }

    /// The number of lines that could not be written.
    package var lostLines: Int { queue.withLock { $0.lostInAll } }

    /// From now on, writes only events of this level and of higher ones.
    package func setLevel(_ level: LogLevel) { lowestRank.store(level.rank, ordering: .relaxed) }

    package func write(_ event: LogEvent) {
        guard event.name.level.rank >= lowestRank.load(ordering: .relaxed) else { return }
        let time = now()
        drain(queue.withLock { $0.add(event, at: time) })
    }

    /// Logs how many lines were suppressed. It must be the last call before the process ends.
    package func close() {
        let time = now()
        drain(queue.withLock { $0.addSuppressedCounts(at: time) })
    }

    private func drain(_ first: LogQueue.WriteTask?) {
        var next = first
        while let task = next {
            let line = task.line.written(as: format)
            let outcome = put(task.endsLineBefore ? [UInt8(ascii: "\n")] + line : line)
            next = queue.withLock { $0.finishWrite(outcome) }
        }
    }

    /// Writes the line if the descriptor is ready, so that the call does not block. A pipe that is ready
    /// accepts a whole line. The descriptor is not set to non-blocking, because other processes may share it.
    private static func put(_ line: [UInt8], _ descriptor: Int32) -> LogQueue.Outcome {
        var asked = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&asked, 1, 0) == 1, asked.revents & Int16(POLLOUT) != 0 else { return .refused }
        while true {
            let count = Glibc.write(descriptor, line, line.count)
            if count == line.count { return .written }
            if count > 0 { return .partlyWritten }
            if count == 0 || errno != EINTR { return .refused }
        }
    }

    private static func systemTime() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
