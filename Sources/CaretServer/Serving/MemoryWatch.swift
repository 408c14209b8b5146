import CLinux
import CaretConcurrency
@preconcurrency import Dispatch
import Glibc

/// Returns unused memory of the process to the system, as long as this object exists.
package final class MemoryWatch: Sendable {
    /// The number of malloc heaps: two per core. With fewer heaps, threads would wait for each other. With
    /// more heaps, more freed memory would remain unused, because each heap keeps some.
    private static let heaps = 2 * Int32(ServerSettings.cores)

    /// How many free bytes a heap keeps at its end, and the size from which an allocation gets its own pages
    /// instead of heap memory. By default the C library keeps 64 MiB after a large block was freed. To read a
    /// pushed text of 100 KB takes 340 KB for a moment. If a heap kept less, each such push would get all
    /// these pages from the system again.
    private static let (trimThreshold, mappingThreshold): (Int32, Int32) = (512 << 10, 1 << 20)

    private let timer: any DispatchSourceTimer

    /// Seconds between two checks.
    private static let interval = 5

    /// Calls `onReturn` with the number of bytes that were returned.
    package init(onReturn: @escaping @Sendable (Int) -> Void) {
        caret_limit_heaps(MemoryWatch.heaps, MemoryWatch.trimThreshold, MemoryWatch.mappingThreshold)
        let queue = DispatchQueue(label: "caret.memory", qos: .utility)
        let returner = Confined(
            MemoryReturner(
                measure: { MemoryWatch.measurement }, returnMemory: { caret_return_memory() },
                onReturn: onReturn),
            to: queue)
        let interval = DispatchTimeInterval.seconds(MemoryWatch.interval)
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now(), repeating: interval, leeway: .milliseconds(500))
        timer.setEventHandler { returner.value.returnIfDue() }
        timer.activate()
    }

    deinit { timer.cancel() }

    /// Nil if the system does not report the memory.
    private static var measurement: MemoryReturnPolicy.Measurement? {
        unusedBytes.map {
            MemoryReturnPolicy.Measurement(
                unusedBytes: $0, cpuNanoseconds: SystemClock.processor.nanoseconds, time: .now)
        }
    }

    /// How many bytes the process has reserved but does not use, without mapped files. Nil if the system does
    /// not report the number.
    private static var unusedBytes: Int? {
        let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        var text = [UInt8](repeating: 0, count: 128)
        // If no descriptor is free, `open` has failed. Then `read` fails too, and the result is nil.
        let count = max(0, read(file, &text, text.count))
        // The file has numbers of pages: the virtual size, the resident part, and the resident pages that are
        // mapped from files.
        let pages = String(decoding: text[..<count], as: UTF8.self).split(separator: " ").map { Int($0) }
        guard pages.count > 2, let resident = pages[1], let shared = pages[2] else { return nil }
        return max(0, (resident - shared) * Int(getpagesize()) - caret_memory_in_use())
    }
}
