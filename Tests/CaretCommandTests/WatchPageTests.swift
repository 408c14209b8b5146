import CaretCommand
import CaretCore
import Testing

@Suite("The page of `caret watch`") struct WatchPageTests {
    private func page(
        _ text: String, _ peers: [WatchPage.Peer] = [], isColored: Bool = false, isConnected: Bool = true
    ) throws -> WatchPage {
        WatchPage(
            name: "notes", text: try TextBuffer(text), revision: 7, isConnected: isConnected, peers: peers,
            isColored: isColored)
    }

    private func peer(_ name: String, _ selections: Selection...) -> WatchPage.Peer {
        WatchPage.Peer(name: name, session: name, selections: selections)
    }

    private func rows(_ page: WatchPage, from top: Int = 0, _ rows: Int = 4, _ columns: Int = 20) -> [String]
    {
        page.rows(from: top, .init(rows: rows, columns: columns))
    }

    @Test("lines have numbers, and the last row is the status")
    func plain() throws {
        #expect(rows(try page("one\ntwo")) == ["1 one", "2 two", "~", "notes 7"])
        #expect(rows(try page("")) == ["1 ", "~", "~", "notes 7"])
        #expect(rows(try page("a\nb\nc\nd\ne\n"), from: 2) == ["3 c", "4 d", "5 e", "notes 7"])
        #expect(rows(try page("a", isConnected: false), 2, 40) == ["1 a", "notes 7 (not connected)"])
    }

    @Test("carets and selections are marked, also at and across line ends")
    func marks() throws {
        let selection = Selection(anchor: 1, head: 5)
        #expect(
            rows(try page("one\ntwo\n", [peer("ann", selection)])) == [
                "1 o[ne]", "2 [t]wo", "3 ", "notes 7  ann ",
            ])
        #expect(
            rows(
                try page("one", [peer("ann", Selection(caret: 1)), peer("bob", Selection(caret: 3))]), 2, 30)
                == ["1 o[n]e[]", "notes 7  ann   bob "])
    }

    @Test("each user has a colour")
    func colors() throws {
        #expect(
            rows(try page("ab", [peer("ann", Selection(caret: 0))], isColored: true), 2, 30) == [
                "\u{1B}[2m1\u{1B}[0m \u{1B}[30;41ma\u{1B}[0mb",
                "\u{1B}[7mnotes 7\u{1B}[0m \u{1B}[30;41m ann \u{1B}[0m",
            ])
        // A caret at the end of a line is a coloured space.
        #expect(
            rows(try page("ab", [peer("ann", Selection(caret: 2))], isColored: true), 2, 30)[0]
                == "\u{1B}[2m1\u{1B}[0m ab\u{1B}[30;41m \u{1B}[0m")
    }

    @Test("carets cover selections, and the first user's mark covers the second's")
    func winners() throws {
        let (first, second) = ("\u{1B}[30;41m", "\u{1B}[30;42m")
        for (ann, bob, marked) in [
            (Selection(anchor: 0, head: 2), Selection(caret: 1), "\(first)a\(second)b\u{1B}[0m"),
            (Selection(caret: 1), Selection(caret: 1), "a\(first)b\u{1B}[0m"),
            (Selection(anchor: 0, head: 1), Selection(anchor: 0, head: 2), "\(first)a\(second)b\u{1B}[0m"),
        ] {
            let page = try page("ab", [peer("ann", ann), peer("bob", bob)], isColored: true)
            #expect(rows(page, 2, 30)[0] == "\u{1B}[2m1\u{1B}[0m \(marked)")
        }
    }

    @Test("long lines are cut by columns, and control characters become signs")
    func narrow() throws {
        #expect(rows(try page("abcdefghij"), 2, 8) == ["1 abcde…", "notes 7"])
        #expect(rows(try page("本本本本"), 2, 8) == ["1 本本…", "notes 7"])
        #expect(rows(try page("a\tb\u{1B}[2J"), 2, 20) == ["1 a   b␛[2J", "notes 7"])
        #expect(rows(try page("a"), 1, 3) == ["no…"])
    }

    @Test("the status line names as many users as fit")
    func status() throws {
        let page = try page("a", [peer("ann"), peer("bob")])
        for (columns, line) in [
            (12, "notes 7"), (13, "notes 7  ann "), (18, "notes 7  ann "), (19, "notes 7  ann   bob "),
        ] {
            #expect(rows(page, 1, columns) == [line])
        }
    }

    @Test("`watch` shows the newest change until the reader scrolls")
    func scroll() throws {
        let page = try page(String(repeating: "a\n", count: 100))
        var scroll = WatchScroll()
        #expect(scroll.top(in: page, height: 10) == 0)
        scroll.changed(at: 100)
        #expect(scroll.top(in: page, height: 10) == 45)
        scroll.press(.up, height: 10)
        scroll.changed(at: 0)
        #expect(scroll.top(in: page, height: 10) == 44)
        scroll.press(.follow, height: 10)
        #expect(scroll.top(in: page, height: 10) == 0)
        for _ in 0..<20 { scroll.press(.pageDown, height: 10) }
        #expect(scroll.top(in: page, height: 10) == 91)
        scroll.press(.pageUp, height: 10)
        #expect(scroll.top(in: page, height: 10) == 81)
        scroll.press(.down, height: 10)
        #expect(scroll.top(in: page, height: 10) == 82)
        for _ in 0..<20 { scroll.press(.pageUp, height: 10) }
        #expect(scroll.top(in: page, height: 10) == 0)
        scroll.press(.down, height: 10)
        #expect(scroll.top(in: page, height: 10) == 1)
    }

    @Test("key sequences of a terminal are decoded")
    func keys() {
        #expect(
            WatchScroll.keys(in: Array("j\u{1B}[A\u{1B}[6~xq".utf8)[...]) == [.down, .up, .pageDown, .end])
        #expect(
            WatchScroll.keys(in: Array("kb f\u{1B}OA\u{1B}OB\u{1B}[5~\u{1B}[B\u{3}".utf8)[...])
                == [.up, .pageUp, .pageDown, .follow, .up, .down, .pageUp, .down, .end])
    }
}
