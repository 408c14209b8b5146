import CaretServer
import Glibc
import Testing

@Suite("The descriptors that connections may use")
struct DescriptorBoundTests {
    @Test("connections leave some descriptors free, at most a quarter of all")
    func bound() {
        for (all, bound) in [(20, 15), (255, 192), (256, 192), (257, 193), (1_024, 960)] {
            #expect(DescriptorBound.current(leaving: 64, of: all) == bound, "\(all) descriptors")
        }
    }

    @Test("each open descriptor takes the place of one connection")
    func free() async {
        // The test runs in its own process, because other tests open descriptors too.
        await #expect(processExitsWith: .success) {
            // System libraries sometimes open a descriptor for a moment.
            func connections(of all: Int) -> Int {
                (0..<100).map { _ in DescriptorBound.free(leaving: 8, of: all) }.max() ?? 0
            }
            let before = connections(of: 1_000)
            guard (1..<992).contains(before) else { exit(2) }
            for _ in 0..<5 { _ = dup(0) }
            guard connections(of: 1_000) == before - 5 else { exit(3) }
            guard connections(of: 100_000) == before - 5 + 99_000 else { exit(4) }
            exit(0)
        }
    }
}
