import CaretServer
import Testing

@Suite("Returning unused memory")
struct MemoryReturnPolicyTests {
    private static let mebibyte = 1 << 20

    /// A measurement. `time` is in seconds, and `cpuMilliseconds` is the CPU time so far in milliseconds.
    private func measurement(_ mebibytes: Double, at time: Int, cpuMilliseconds: UInt64 = 0)
        -> MemoryReturnPolicy.Measurement
    {
        MemoryReturnPolicy.Measurement(
            unusedBytes: Int(mebibytes * Double(Self.mebibyte)), cpuNanoseconds: cpuMilliseconds * 1_000_000,
            time: Moment(nanoseconds: UInt64(time) * 1_000_000_000))
    }

    /// A policy after a return that has left some unused memory, at the time 0.
    private func policyAfterReturn(leaving mebibytes: Int) -> MemoryReturnPolicy {
        var policy = MemoryReturnPolicy(measurement(0, at: 0))
        policy.memoryReturned(leaving: mebibytes * Self.mebibyte)
        return policy
    }

    @Test("what is unused at the first measurement is returned too")
    func first() {
        var policy = MemoryReturnPolicy(measurement(20, at: 0))
        #expect(policy.mustReturnMemory(measurement(20, at: 5)) == true)
        var small = MemoryReturnPolicy(measurement(0.9, at: 0))
        #expect(small.mustReturnMemory(measurement(0.9, at: 5)) == false)
    }

    @Test("an idle process returns memory if its unused memory grew enough")
    func idle() {
        var policy = policyAfterReturn(leaving: 8)
        #expect(policy.mustReturnMemory(measurement(8.9, at: 5)) == false)
        #expect(policy.mustReturnMemory(measurement(9, at: 10)) == true)
        var large = policyAfterReturn(leaving: 160)
        #expect(large.mustReturnMemory(measurement(169.9, at: 5)) == false)
        #expect(large.mustReturnMemory(measurement(170, at: 10)) == true)
    }

    @Test("a busy process keeps unused memory until it is idle")
    func busy() {
        var policy = policyAfterReturn(leaving: 20)
        #expect(policy.mustReturnMemory(measurement(100, at: 5, cpuMilliseconds: 250)) == false)
        #expect(policy.mustReturnMemory(measurement(100, at: 10, cpuMilliseconds: 10_000)) == false)
        #expect(policy.mustReturnMemory(measurement(100, at: 15, cpuMilliseconds: 10_249)) == true)
    }

    @Test("a process that is never idle returns memory after a long time")
    func neverIdle() {
        var policy = policyAfterReturn(leaving: 20)
        for time in 1...300 {
            #expect(
                policy.mustReturnMemory(measurement(100, at: time, cpuMilliseconds: UInt64(time * 1_000)))
                    == false)
        }
        #expect(policy.mustReturnMemory(measurement(100, at: 301, cpuMilliseconds: 301_000)) == true)
        policy.memoryReturned(leaving: 20 * Self.mebibyte)
        // After memory was returned, it must grow again before the next return.
        #expect(policy.mustReturnMemory(measurement(20, at: 302, cpuMilliseconds: 302_000)) == false)
        for time in 303...602 {
            #expect(
                policy.mustReturnMemory(measurement(100, at: time, cpuMilliseconds: UInt64(time * 1_000)))
                    == false)
        }
        #expect(policy.mustReturnMemory(measurement(100, at: 603, cpuMilliseconds: 603_000)) == true)
    }

    @Test("if memory could not be returned, only more growth causes a new attempt")
    func notReturnable() {
        var policy = policyAfterReturn(leaving: 20)
        #expect(policy.mustReturnMemory(measurement(100, at: 5)) == true)
        policy.memoryReturned(leaving: 90 * Self.mebibyte)
        #expect(policy.mustReturnMemory(measurement(95, at: 10)) == false)
        #expect(policy.mustReturnMemory(measurement(96, at: 15)) == true)
        policy.memoryReturned(leaving: 90 * Self.mebibyte)
        // If the unused memory falls later, growth is measured from the lower value.
        #expect(policy.mustReturnMemory(measurement(30, at: 20)) == false)
        #expect(policy.mustReturnMemory(measurement(32, at: 25)) == true)
    }
}
