import CaretServer
import Testing

@Suite("The descriptors that connections may use")
struct DescriptorBoundTests {
    @Test("connections leave some descriptors free, at most a quarter of all")
    func bound() {
        for (all, bound) in [(20, 15), (255, 192), (256, 192), (257, 193), (1_024, 960)] {
            #expect(DescriptorBound.current(leaving: 64, of: all) == bound, "\(all) descriptors")
        }
    }
}
