import CLinux
import CaretConcurrency
@preconcurrency import Dispatch
import Glibc

/// Returns memory that the process does not need to the system, as long as this object exists.
package final class MemoryWatch: Sendable {
    /// Two heaps per busy core. With fewer, threads wait for each other, and every heap keeps some of the
    /// memory freed in it.
    private static let heaps = 2 * Int32(ServerSettings.cores)

    /// Bytes that a heap keeps at its end, and the size from which an allocation is not part of a heap. By
    /// default the C library keeps 64 MiB once something large was freed.
    private static let (kept, apart): (Int32, Int32) = (256 << 10, 1 << 20)

    private let timer: any DispatchSourceTimer

    /// Seconds between two checks. Memory is returned soon enough, and the checks cost nothing.
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

/// Confined to its queue.
private final class MemoryKeeper {
    private var memory: SpareMemory?
    private let gaveBack: @Sendable (Int) -> Void

    init(_ gaveBack: @escaping @Sendable (Int) -> Void) { self.gaveBack = gaveBack }

    func look() {
        // If there is no descriptor now, there will be one later.
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

    /// Bytes that the process has from the system but does not use, without mapped files; nil if the system
    /// does not report it.
    private static var spare: Int? {
        let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        if file < 0 { return nil }
        defer { close(file) }
        var text = [UInt8](repeating: 0, count: 128)
        let count = read(file, &text, text.count)
        if count <= 0 { return nil }
        // In pages: the size, what of it is in memory, and what of that is mapped from files.
        let pages = String(decoding: text[..<count], as: UTF8.self).split(separator: " ").map { Int($0) }
        guard pages.count > 2, let resident = pages[1], let shared = pages[2] else { return nil }
        return max(0, (resident - shared) * Int(getpagesize()) - caret_memory_in_use())
    }
}
