import Foundation
import TestSupport
import Testing

@Suite("The same scenario in two processes") struct ProcessTests {
    private static let seeds: Range<UInt64> = 0..<8
    private static let seedsWithNodes = PlanMaker.firstSeedWithNodes..<PlanMaker.firstSeedWithNodes + 8
    private static let asked = "CARET_DIGESTS"

    private func digests() async -> String {
        let outcomes = await Runs.run(ProcessTests.seeds) + Runs.run(ProcessTests.seedsWithNodes)
        return outcomes.map { String($0.digest, radix: 16) }.joined(separator: " ")
    }

    /// The order of sets and dictionaries differs between processes. No message may depend on this order.
    @Test("one seed gives the same trace of messages in two processes")
    func sameTrace() async throws {
        let here = await digests()
        if let path = ProcessInfo.processInfo.environment[ProcessTests.asked] {
            return try here.write(toFile: path, atomically: true, encoding: .utf8)
        }
        #expect(await digests() == here)
        let file = FileManager.default.temporaryDirectory.appending(path: "digests-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let child = try ChildProgram(
            ["/proc/self/exe", "--testing-library", "swift-testing", "--filter", "ProcessTests"],
            environment: ChildProgram.environment(adding: [ProcessTests.asked: file.path]), output: .nothing,
            errors: .nothing)
        child.waitForEnd()
        let there = try String(contentsOf: file, encoding: .utf8)
        #expect(there == here)
    }
}
