import Foundation
import Glibc
import Testing

@Suite("caret on a terminal", .serialized) struct TerminalTests {
    // TIOCSPTLCK and TIOCGPTN: Swift sees neither them nor the functions that stand for them.
    private static let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)

    /// What a terminal of so many columns gets, with `^` for the escapes of colours.
    private func shown(_ arguments: [String], on stand: Stand, columns: UInt16, typing: String = "") throws
        -> String
    {
        let control = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var (locked, number): (Int32, Int32) = (0, 0)
        guard control >= 0, ioctl(control, Self.setLock, &locked) == 0,
            ioctl(control, Self.getNumber, &number) == 0
        else { throw Wrong() }
        let line = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        guard line >= 0, ioctl(line, UInt(TIOCSWINSZ), &size) == 0 else { throw Wrong() }
        let (terminal, process) = (FileHandle(fileDescriptor: line, closeOnDealloc: true), Process())
        process.executableURL = URL(filePath: Run.path(of: "caret"))
        process.arguments = arguments + ["--data", stand.data]
        process.environment = ["TZ": "UTC"]
        process.standardInput = terminal
        process.standardOutput = terminal
        process.standardError = terminal
        _ = write(control, typing, typing.utf8.count)
        try process.run()
        process.waitUntilExit()
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        // What was written waits in the terminal until it is read.
        let count = read(control, &bytes, bytes.count)
        close(control)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).replacing("\r\n", with: "\n")
            .replacing("\u{1B}[", with: "^")
    }

    @Test("a list is a table, whose names give way on a narrow one")
    func table() throws {
        let stand = try Stand()
        try stand.expect("$ put a/long/name --create << x\na/long/name: saved as revision 1")
        let wide = try shown(["ls"], on: stand, columns: 100).split(separator: "\n")
        #expect(wide.first == "^1mNAME         REVISION  LENGTH  CHANGED^0m")
        #expect(wide.last?.hasPrefix("a/long/name         1       1  20") == true)
        let narrow = try shown(["ls", "--no-color"], on: stand, columns: 47).split(separator: "\n")
        #expect(narrow.first == "NAME      REVISION  LENGTH  CHANGED")
        #expect(narrow.last?.hasPrefix("a/long/…         1       1  20") == true)
    }

    @Test("a difference is in colours, and what a document holds does nothing to the terminal")
    func colors() throws {
        let stand = try Stand()
        try stand.expect(
            "$ put a --create << one two⏎\na: saved as revision 1\n$ put a << one 2⏎\na: saved as revision 2")
        let text = try shown(["diff", "a@1"], on: stand, columns: 80)
        #expect(text.contains("^31m-^0m^31mone ^0m^31;7mtwo^0m\n^32m+^0m^32mone ^0m^32;7m2^0m\n"), "\(text)")
        #expect(try stand.caret(["put", "a"], input: "\u{1B}[2J\n").status == 0)
        #expect(try shown(["grep", "2J"], on: stand, columns: 80) == "^36ma^0m:1:␛[^1;31m2J^0m\n")
    }

    @Test("who is a table, whose documents give way on a narrow one")
    func connections() throws {
        let stand = try Stand()
        let wide = try shown(["who"], on: stand, columns: 100).split(separator: "\n")
        #expect(wide.first?.hasPrefix("^1mNUMBER  USER   CLIENT") == true)
        #expect(wide.count == 2 && wide.last?.contains("  admin  p-") == true, "\(wide)")
        let narrow = try shown(["who", "--no-color"], on: stand, columns: 40).split(separator: "\n")
        #expect(narrow.first?.hasSuffix("FROM  SINCE                OPEN") == true, "\(narrow)")
    }

    @Test(
        "top takes the terminal, and gives it back at its end and at q", arguments: [["--count", "1"], []])
    func top(arguments: [String]) throws {
        let text = try shown(
            ["top", "-i", "3600"] + arguments, on: try Stand(), columns: 80,
            typing: arguments.isEmpty ? "q" : "")
        #expect(text.hasPrefix("^?1049h^?25l") || text.hasPrefix("q^?1049h^?25l"), "\(text)")
        #expect(text.contains("caretd.sock, up ") && text.contains("connections  "), "\(text)")
        #expect(text.hasSuffix("^0m^?25h^?1049l"), "\(text)")
    }

    @Test("trim asks, and takes nothing but a yes")
    func trimming() throws {
        let stand = try Stand()
        try stand.expect("$ put a --create << x\na: saved as revision 1")
        let question = "a: forget 1 revision, up to 1, whose text stays, for good? [y/N] "
        let no = try shown(["trim", "a@1"], on: stand, columns: 80, typing: "\n")
        #expect(no.contains(question) && no.hasSuffix("a: nothing was changed\n"), "\(no)")
        let yes = try shown(["trim", "a@1"], on: stand, columns: 80, typing: "y\n")
        #expect(yes.contains(question) && yes.contains("a: forgotten are 1 revision, up to 1"), "\(yes)")
    }

    @Test("rm asks, and takes nothing but a yes")
    func question() throws {
        let stand = try Stand()
        try stand.expect("$ put a --create << x\na: saved as revision 1")
        let question = "Delete a with its 1 revision? [y/N] "
        let no = try shown(["rm", "a"], on: stand, columns: 80, typing: "\n")
        #expect(no.contains(question) && no.hasSuffix("nothing was changed\n"), "\(no)")
        let yes = try shown(["rm", "a"], on: stand, columns: 80, typing: "y\n")
        #expect(yes.contains(question) && yes.hasSuffix("a is deleted\n"), "\(yes)")
    }
}
