import CaretRooms
import CaretServer
import Glibc
import Testing

@Suite("Slots, counters and output of an event loop")
struct ValueTests {
    @Test("the id of a removed element finds nothing, even if its slot is reused")
    func oldNames() {
        var slots = Slots<String>()
        let ann = slots.insert { _ in "ann" }
        let bob = slots.insert { _ in "bob" }
        slots.remove(ann)
        slots.remove(ann)
        let carl = slots.insert { _ in "carl" }
        #expect(slots[ann] == nil && slots[bob] == "bob" && slots[carl] == "carl")
        #expect(carl.slot == ann.slot && slots.count == 2)
        #expect(SlotID(word: carl.word) == carl)
    }

    @Test("adding two sets of counters adds each counter")
    func sumOfCounters() {
        let all: [WritableKeyPath<LoopCounters, Int>] = [
            \.opened, \.closed, \.refused, \.bytesRead, \.bytesWritten, \.reads, \.writes, \.blockedWrites,
            \.turns, \.events, \.jobs,
        ]
        var (one, other) = (LoopCounters(), LoopCounters())
        for (number, counter) in all.enumerated() {
            one[keyPath: counter] = number + 1
            other[keyPath: counter] = 100 * (number + 1)
        }
        let sum = one + other
        #expect(all.map { sum[keyPath: $0] } == all.indices.map { 101 * ($0 + 1) })
    }

    @Test("an output queue returns every byte once and in order")
    func queueTakesAnything() {
        for step in 1...40 {
            var queue = OutputQueue()
            let words = (0..<100).map { String(repeating: "\($0 % 10)", count: 1 + $0 % 7) }
            for word in words { queue.append(Payload(Array(word.utf8))) }
            var text = ""
            #expect(queue.bytes == words.joined().utf8.count)
            while !queue.isEmpty {
                text += front(of: queue, upTo: step)
                queue.removeFirst(min(step, queue.bytes))
            }
            #expect(text == words.joined() && queue.bytes == 0)
        }
    }

    @Test("the server knows the number of cores")
    func cores() { #expect(ServerSettings.cores == sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// The first unwritten bytes.
    private func front(of queue: OutputQueue, upTo count: Int) -> String {
        withUnsafeTemporaryAllocation(of: iovec.self, capacity: 40) { pieces in
            let filled = pieces[..<queue.fill(pieces, upTo: count)]
            let bytes = filled.flatMap { UnsafeRawBufferPointer(start: $0.iov_base, count: $0.iov_len) }
            #expect(bytes.count == min(count, queue.bytes))
            return String(decoding: bytes, as: UTF8.self)
        }
    }
}
