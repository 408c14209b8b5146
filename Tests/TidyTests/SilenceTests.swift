import Foundation
import TestSupport
import Testing

@Suite("A phase of scripts/test that stops making progress") struct SilenceTests {
    private static let script = Repository.url(of: "scripts/end-if-silent").path
    /// Watches the file "log", while a shell waits for the end of a program, as scripts/test does.
    private static let phase = #""$0" log 1 & sh -c "$1" >>log; echo "ended with $?"; kill $! 2>/dev/null"#

    private func output(of program: String) throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: "caret-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // If the removal fails, the folder stays in the system's temporary folder. This harms no test.
        defer { try? FileManager.default.removeItem(at: folder) }
        let phase = try ChildProgram(
            ["bash", "-c", SilenceTests.phase, SilenceTests.script, program], folder: folder.path,
            output: .pipe)
        return phase.remainingOutput()
    }

    @Test("its processes and their stacks are printed, and it fails")
    func silent() throws {
        let output = try output(of: "echo begun; sleep 3600 & wait")
        #expect(output.contains("No output for 1 s."))
        #expect(output.contains(/-- process \d+: sleep 3600/))
        #expect(output.contains(/nanosleep/))
        #expect(output.contains("ended with 143"))
    }

    @Test("a phase that ends by itself prints nothing more")
    func ended() throws {
        #expect(try output(of: "echo begun") == "ended with 0\n")
    }
}
