import CaretServer
import TestSupport
import Testing

@Suite("How a process returns unused memory")
struct MemoryReturnerTests {
    private static let mebibyte = 1 << 20

    @Test("memory is returned when it grew, and what was returned is reported")
    func returns() {
        // The unused memory in mebibytes at each measurement; nil if the system does not report it. After a
        // return, the memory is measured again.
        let unused = Shared<[Int?]>([8, nil, 8, 6, 6, 20, 5, 5, 20, 20, 20, 30, nil])
        let (seconds, returns, reports) = (Shared(0), Shared(0), Shared<[Int]>([]))
        let returner = MemoryReturner(
            measure: {
                seconds.change { $0 += 5 }
                let mebibytes = unused.value[0]
                unused.change { $0.removeFirst() }
                return mebibytes.map {
                    MemoryReturnPolicy.Measurement(
                        unusedBytes: $0 * Self.mebibyte, cpuNanoseconds: 0,
                        time: Moment(nanoseconds: 0).after(seconds: seconds.value))
                }
            },
            returnMemory: { returns.change { $0 += 1 } },
            onReturn: { bytes in reports.change { $0.append(bytes) } })
        var counts: [Int] = []
        while !unused.value.isEmpty {
            returner.returnIfDue()
            counts.append(returns.value)
        }
        #expect(counts == [0, 0, 1, 1, 2, 2, 3, 3, 4])
        #expect(reports.value == [2 * Self.mebibyte, 15 * Self.mebibyte])
    }
}
