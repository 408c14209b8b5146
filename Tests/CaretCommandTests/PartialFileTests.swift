import CaretCommand
import CaretSync
import Foundation
import Testing

@Suite("Archive files that are not complete yet") struct PartialFileTests {
    @Test("a partial file is not written over a file, or through a link", arguments: [false, true])
    func planted(isLink: Bool) throws {
        let session = try CommandSession(nil)
        let (partial, victim) = (session.folder.path + "/partial", session.folder.path + "/victim")
        try Data("theirs".utf8).write(to: URL(filePath: isLink ? victim : partial))
        if isLink { #expect(symlink(victim, partial) == 0) }
        let fault = #expect(throws: FileFault.self) { _ = try GzipOutput(partial) }
        #expect(fault?.code == EEXIST)
        #expect(try String(contentsOfFile: partial, encoding: .utf8) == "theirs")
    }

    @Test("only the owner can read a partial file")
    func mode() throws {
        let session = try CommandSession(nil)
        let path = session.folder.path + "/partial"
        let output = try GzipOutput(path)
        var status = stat()
        let result = stat(path, &status)
        #expect(result == 0 && status.st_mode & 0o777 == 0o600)
        #expect(try output.finish() > 0)
    }
}
