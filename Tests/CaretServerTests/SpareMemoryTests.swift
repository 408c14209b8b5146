import CaretServer
import Testing

@Suite("Spare memory")
struct SpareMemoryTests {
    private static let mebibyte = 1 << 20

    /// A measurement. `time` is in seconds, and `used` is the CPU time so far in milliseconds.
    private func look(_ mebibytes: Double, at time: Int, used: UInt64 = 0) -> SpareMemory.Look {
        SpareMemory.Look(
            spare: Int(mebibytes * Double(Self.mebibyte)), used: used * 1_000_000,
            time: Moment(nanoseconds: UInt64(time) * 1_000_000_000))
    }

    @Test("an idle process returns memory if its unused memory grew enough")
    func atRest() {
        var spare = SpareMemory(look(8, at: 0))
        #expect(spare.looked(look(8.9, at: 5)) == false)
        #expect(spare.looked(look(9, at: 10)) == true)
        var large = SpareMemory(look(160, at: 0))
        #expect(large.looked(look(169.9, at: 5)) == false)
        #expect(large.looked(look(170, at: 10)) == true)
    }

    @Test("a busy process does not return memory, an idle one does")
    func atWork() {
        var spare = SpareMemory(look(20, at: 0))
        #expect(spare.looked(look(100, at: 5, used: 250)) == false)
        #expect(spare.looked(look(100, at: 10, used: 10_000)) == false)
        #expect(spare.looked(look(100, at: 15, used: 10_249)) == true)
    }

    @Test("a process that is never idle returns memory after a long time")
    func neverAtRest() {
        var spare = SpareMemory(look(20, at: 0))
        for time in 1...300 {
            #expect(spare.looked(look(100, at: time, used: UInt64(time * 1_000))) == false)
        }
        #expect(spare.looked(look(100, at: 301, used: 301_000)) == true)
        spare.gaveBack(leaving: 20 * Self.mebibyte)
        // After memory was returned, it must grow again before the next return.
        #expect(spare.looked(look(20, at: 302, used: 302_000)) == false)
        for time in 303...602 {
            #expect(spare.looked(look(100, at: time, used: UInt64(time * 1_000))) == false)
        }
        #expect(spare.looked(look(100, at: 603, used: 603_000)) == true)
    }

    @Test("memory that could not be returned does not cause another attempt")
    func stays() {
        var spare = SpareMemory(look(20, at: 0))
        #expect(spare.looked(look(100, at: 5)) == true)
        spare.gaveBack(leaving: 90 * Self.mebibyte)
        #expect(spare.looked(look(95, at: 10)) == false)
        #expect(spare.looked(look(96, at: 15)) == true)
        spare.gaveBack(leaving: 90 * Self.mebibyte)
        // If the unused memory falls later, growth is measured from the lower value.
        #expect(spare.looked(look(30, at: 20)) == false)
        #expect(spare.looked(look(32, at: 25)) == true)
    }
}
