import CaretConfig
import Foundation
import Synchronization
import Testing

@Suite("Writing the log") struct LogWriterTests {
    /// A pipe that the test reads from.
    private struct Pipe {
        let reading: Int32
        let writing: Int32

        init() {
            var ends: [Int32] = [0, 0]
            #expect(pipe(&ends) == 0)
            (reading, writing) = (ends[0], ends[1])
        }

        /// The lines that are in the pipe now.
        func lines() -> [Substring] {
            var bytes = [UInt8](repeating: 0, count: 1 << 20)
            _ = fcntl(reading, F_SETFL, O_NONBLOCK)
            let count = read(reading, &bytes, bytes.count)
            return String(decoding: bytes[..<max(0, count)], as: UTF8.self).split(separator: "\n")
        }

        func close() {
            Glibc.close(reading)
            Glibc.close(writing)
        }
    }

    /// A clock that advances by a second on every read, so that the rate limit suppresses no line.
    private func clock() -> @Sendable () -> Int64 {
        let time = Box()
        return { time.value.add(1, ordering: .relaxed).newValue * 1_000 }
    }

    private final class Box: Sendable {
        let value = Atomic<Int64>(0)
    }

    @Test("events below the configured level are not written")
    func levels() {
        let pipe = Pipe()
        defer { pipe.close() }
        let log = LogWriter(format: .plain, level: .warning, descriptor: pipe.writing, now: { 0 })
        log.write(LogEvent(.connectionOpened))
        log.write(LogEvent(.listening))
        log.write(LogEvent(.slowReader, .connection(7)))
        log.write(LogEvent(.diskFull))
        #expect(
            pipe.lines() == [
                "1970-01-01T00:00:00.000Z warning event=slow_reader connection=7",
                "1970-01-01T00:00:00.000Z error event=disk_full",
            ])
    }

    @Test("a new level applies to later events")
    func newLevel() {
        let pipe = Pipe()
        defer { pipe.close() }
        let log = LogWriter(format: .plain, level: .info, descriptor: pipe.writing, now: { 0 })
        for level in [LogLevel.error, .debug] {
            log.setLevel(level)
            for event in [LogEvent.Name.roomOpened, .ready, .slowReader, .diskFull] {
                log.write(LogEvent(event, .count(level == .debug ? 2 : 1)))
            }
        }
        #expect(
            pipe.lines().compactMap { $0.firstMatch(of: /event=(.*)$/).map { String($0.1) } } == [
                "disk_full count=1", "room_opened count=2", "ready count=2", "slow_reader count=2",
                "disk_full count=2",
            ])
    }

    @Test("a stuck reader blocks no writer, and the next line counts lost lines")
    func stuckReader() throws {
        let pipe = Pipe()
        defer { pipe.close() }
        let log = LogWriter(format: .plain, level: .info, descriptor: pipe.writing, now: clock())
        let time = ContinuousClock().measure {
            for _ in 0..<20_000 { log.write(LogEvent(.ready)) }
        }
        #expect(time < .seconds(10))
        let read = pipe.lines().count
        #expect(log.lostLines == 20_000 - read)
        log.write(LogEvent(.diskFull))
        let next = try #require(pipe.lines().first)
        #expect(next.hasSuffix("event=disk_full lost=\(20_000 - read)"))
        log.write(LogEvent(.ready))
        #expect(pipe.lines().first?.hasSuffix("event=ready") == true)
    }

    @Test("the last line of the log has the number of suppressed lines")
    func closed() {
        let pipe = Pipe()
        defer { pipe.close() }
        let log = LogWriter(format: .plain, level: .info, descriptor: pipe.writing, now: { 0 })
        for _ in 0..<LogRate.burst + 5 { log.write(LogEvent(.ready)) }
        log.close()
        #expect(pipe.lines().count == LogRate.burst + 1)
    }

    @Test("with a closed descriptor, log lines are only counted as lost")
    func badDescriptor() {
        let log = LogWriter(format: .json, level: .debug, descriptor: -1)
        for _ in 0..<3 { log.write(LogEvent(.ready)) }
        log.close()
        #expect(log.lostLines == 3)
    }

    @Test("on a full disk, log lines are only counted as lost")
    func fullDisk() {
        // A write to this device fails, although `poll` reports that it is ready.
        let file = open("/dev/full", O_WRONLY | O_CLOEXEC)
        defer { close(file) }
        #expect(file >= 0)
        let log = LogWriter(format: .json, level: .debug, descriptor: file)
        for _ in 0..<3 { log.write(LogEvent(.ready)) }
        log.close()
        #expect(log.lostLines == 3)
    }

    @Test("many threads write whole lines, each exactly once")
    func threads() {
        let pipe = Pipe()
        defer { pipe.close() }
        let log = LogWriter(format: .plain, level: .debug, descriptor: pipe.writing, now: clock())
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for index in 0..<100 { log.write(LogEvent(.ready, .connection(thread), .count(index))) }
        }
        let lines = pipe.lines()
        let pattern = #/\S+ info event=ready connection=(\d) count=(\d+)( suppressed=\d+)?( lost=\d+)?/#
        var last = [Int](repeating: -1, count: 8)
        for line in lines {
            guard let match = line.wholeMatch(of: pattern), let thread = Int(match.1),
                let index = Int(match.2)
            else {
                Issue.record("not a line of this log: \(line)")
                return
            }
            #expect(index > last[thread])
            last[thread] = index
        }
        #expect(lines.count + log.lostLines == 800)
    }
}
