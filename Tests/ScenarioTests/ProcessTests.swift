import Foundation
import Testing

@Suite("The same scenario in two processes") struct ProcessTests {
    private static let seeds: Range<UInt64> = 0..<8
    private static let asked = "CARET_DIGESTS"

    private func digests() async -> String {
        await Runs.run(ProcessTests.seeds).map { String($0.digest, radix: 16) }.joined(separator: " ")
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
        let child = Process()
        child.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        child.arguments = ["--testing-library", "swift-testing", "--filter", "ProcessTests"]
        child.environment = ProcessInfo.processInfo.environment.merging([ProcessTests.asked: file.path]) {
            $1
        }
        child.standardOutput = FileHandle.nullDevice
        child.standardError = FileHandle.nullDevice
        try child.run()
        child.waitUntilExit()
        let there = try String(contentsOf: file, encoding: .utf8)
        #expect(there == here)
    }
}
