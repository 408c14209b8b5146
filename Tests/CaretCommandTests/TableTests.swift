import CaretCommand
import Testing

@Suite("Tables that caret prints") struct TableTests {
    private var table: Table {
        var table = Table([.init("NAME"), .init("REVISION", isNumber: true)])
        table.add(["notes/a long name of a document", "7"])
        table.add(["本", "12"])
        return table
    }

    @Test("a wide screen shortens no field, and numbers are aligned")
    func wide() {
        #expect(
            table.text(on: Screen(columns: 80), .plain) == """
                NAME                             REVISION
                notes/a long name of a document         7
                本                                     12

                """)
    }

    @Test("a narrow screen shortens the name")
    func narrow() {
        #expect(
            table.text(on: Screen(columns: 24), .plain) == """
                NAME            REVISION
                notes/a long …         7
                本                    12

                """)
        #expect(
            table.text(on: Screen(columns: 5), .plain, titled: false)
                == "notes/a…         7\n本              12\n")
    }

    @Test("without a terminal, tabs separate fields and there are no titles")
    func plain() { #expect(table.plain == "notes/a long name of a document\t7\n本\t12\n") }
}

@Suite("Progress messages of a long command") struct ProgressTests {
    @Test(
        "progress is a percentage, and after 2 s also the remaining time",
        arguments: [
            (0, 10, 0.0, "0 %"), (3, 10, 1.9, "30 %"), (3, 10, 3, "30 %, 8 s left"), (10, 10, 9, "100 %"),
            (1, 3, 30, "33 %, 2 min left"), (1, 100, 60, "1 %, 1 h 40 min left"),
            (99, 100, 990, "99 %, 11 s left"),
            (12, 10, 5, "100 %"), (0, 0, 5, nil), (3, 10, 2, "30 %, 5 s left"),
            // These times are at the limits of the units, for example 59 s and 1 min.
            (1, 30, 2, "3 %, 59 s left"), (1, 2, 59, "50 %, 1 min left"),
            (1, 2, 3_539, "50 %, 59 min left"), (1, 2, 3_599, "50 %, 1 h left"),
        ] as [(Int, Int, Double, String?)])
    func words(done: Int, all: Int, seconds: Double, words: String?) {
        #expect(Progress(done, of: all).words(after: .seconds(seconds)) == words)
    }
}
