import Foundation
import TestSupport
import Testing

@Suite("A shell that obeys the commands of a test") struct CommandShellTests {
    private static let script = #"""
        touch "$1"
        trap 'rm "$1"' EXIT
        echo $$
        while read -r line; do echo "$line"; done
        """#
    private let file = FileManager.default.temporaryDirectory.appending(path: "caret-\(UUID().uuidString)")

    @Test("it goes on when nobody refers to it any more, because a test may still use what it has started")
    func goesOn() throws {
        var shell = CommandShell(CommandShellTests.script, [file.path])
        let process = try #require(shell?.nextLine().flatMap { pid_t($0) })
        shell = nil
        #expect(kill(process, 0) == 0)
    }

    @Test("with `end`, it ends what it has started")
    func end() throws {
        let shell = try #require(CommandShell(CommandShellTests.script, [file.path]))
        _ = shell.nextLine()
        #expect(shell.answer(to: "ready") == "ready")
        shell.end()
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }
}
