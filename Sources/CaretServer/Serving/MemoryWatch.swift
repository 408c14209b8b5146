import CLinux
import CaretConcurrency
@preconcurrency import Dispatch
import Glibc

/// Returns unused memory of the process to the system, as long as this object exists.
package final class MemoryWatch: Sendable {
    /// The number of malloc heaps: two per core. With fewer, threads would wait for each other. With more,
    /// more freed memory would remain unused, because each heap keeps some.
    private static let heaps = 2 * Int32(ServerSettings.cores)

    /// How many free bytes a heap keeps at its end, and the size from which an allocation gets its own pages
    /// instead of heap memory. By default the C library keeps 64 MiB after a large block was freed.
    private static let (kept, apart): (Int32, Int32) = (256 << 10, 1 << 20)

    private let timer: any DispatchSourceTimer

    /// Seconds between two checks.
    private static let interval = 5

    /// Calls `gaveBack` with the number of bytes that were returned.
    package init(gaveBack: @escaping @Sendable (Int) -> Void) {
        caret_bound_heaps(MemoryWatch.heaps, MemoryWatch.kept, MemoryWatch.apart)
        let queue = DispatchQueue(label: "caret.memory", qos: .utility)
        let keeper = Confined(MemoryKeeper(gaveBack), to: queue)
        let interval = DispatchTimeInterval.seconds(MemoryWatch.interval)
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now(), repeating: interval, leeway: .milliseconds(500))
        timer.setEventHandler { keeper.value.look() }
        timer.activate()
    }

    deinit { timer.cancel() }
}

/// Measures the unused memory, and returns it to the system. Confined to its queue.
private final class MemoryKeeper {
    private var memory: SpareMemory?
    private let gaveBack: @Sendable (Int) -> Void

    init(_ gaveBack: @escaping @Sendable (Int) -> Void) { self.gaveBack = gaveBack }

    func look() {
        // If no descriptor is free now, a later check will succeed.
        guard let spare = MemoryKeeper.spare else { return }
        let look = SpareMemory.Look(spare: spare, used: SystemClock.processor.nanoseconds, time: .now)
        guard memory?.looked(look) ?? false else {
            memory = memory ?? SpareMemory(look)
            return
        }
        caret_return_memory()
        let left = MemoryKeeper.spare ?? spare
        memory?.gaveBack(leaving: left)
        if left < spare { gaveBack(spare - left) }
    }

    /// How many bytes the process has reserved but does not use, without mapped files. Nil if the system does
    /// not report the number.
    private static var spare: Int? {
        let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        if file < 0 { return nil }
        defer { close(file) }
        var text = [UInt8](repeating: 0, count: 128)
        let count = read(file, &text, text.count)
        if count <= 0 { return nil }
        // The file has numbers of pages: the virtual size, the resident part, and the resident pages that are
        // mapped from files.
        let pages = String(decoding: text[..<count], as: UTF8.self).split(separator: " ").map { Int($0) }
        guard pages.count > 2, let resident = pages[1], let shared = pages[2] else { return nil }
        return max(0, (resident - shared) * Int(getpagesize()) - caret_memory_in_use())
    }
}
