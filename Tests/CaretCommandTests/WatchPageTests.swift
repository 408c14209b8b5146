import CaretCommand
import CaretCore
import TestSupport
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
        page.rows(from: .init(line: top), .init(rows: rows, columns: columns))
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

    @Test("long lines are wrapped, and only their first rows have a number")
    func wrapped() throws {
        #expect(
            rows(try page("abcdefghij\nk"), 5, 8) == ["1 abcde", "  fghij", "2 k", "~", "notes 7"])
        // A line that fills a row exactly needs no second row.
        #expect(rows(try page("abcde\nk"), 3, 8) == ["1 abcde", "2 k", "notes 7"])
        // A wide character that does not fit begins the next row.
        #expect(rows(try page("本本本本"), 3, 8) == ["1 本本", "  本本", "notes 7"])
        #expect(rows(try page("a本本本😀"), 3, 8) == ["1 a本本", "  本😀", "notes 7"])
        #expect(rows(try page("é\u{301}👩‍👩‍👧bcde"), 3, 8) == ["1 é\u{301}👩‍👩‍👧bc", "  de", "notes 7"])
        #expect(rows(try page(String(repeating: "x\n", count: 9)), 2, 8) == [" 1 x", "notes 7"])
    }

    @Test("control characters become signs, and a sign that fits no row becomes …")
    func signs() throws {
        #expect(rows(try page("a\tb\u{1B}[2J"), 2, 20) == ["1 a   b␛[2J", "notes 7"])
        // Tab stops count from the beginning of the row.
        #expect(rows(try page("abcde\tb"), 3, 8) == ["1 abcde", "      b", "notes 7"])
        #expect(rows(try page("a\u{202E}b"), 2, 8) == ["1 a…b", "notes 7"])
        #expect(rows(try page("a本"), 3, 3) == ["1 a", "  …", "no…"])
        #expect(rows(try page("a"), 1, 3) == ["no…"])
    }

    @Test("carets and selections of others are marked on the rows of a wrapped line")
    func wrappedMarks() throws {
        let (red, green, end) = ("\u{1B}[30;41m", "\u{1B}[30;42m", "\u{1B}[0m")
        let peers = [
            peer("ann", Selection(anchor: 3, head: 7)), peer("bob", Selection(caret: 10)),
        ]
        let number = "\u{1B}[2m1\u{1B}[0m "
        #expect(
            rows(try page("abcdefghij", peers, isColored: true), 3, 8).dropLast() == [
                "\(number)abc\(red)de\(end)", "  \(red)fg\(end)hij\(green) \(end)",
            ])
        // Without colours, the brackets need columns too, so less text fits on a row.
        let plain = rows(try page("abcdefghij", peers), 5, 8)
        #expect(plain.dropLast() == ["1 abc", "  [def]", "  [g]hi", "  j[]"])
        #expect(plain.allSatisfy { $0.unicodeScalars.count <= 8 })
        // A caret on a wide character that moves to the next row.
        let wide = try page("abcd本e", [peer("ann", Selection(caret: 4))], isColored: true)
        #expect(rows(wide, 3, 8).dropLast() == ["\(number)abcd", "  \(red)本\(end)e"])
    }

    @Test("no row is wider than the terminal, wherever carets and selections are")
    func widths() throws {
        var random = Seeded(20)
        for _ in 0..<200 {
            let letters = ["a", "本", "😀", "\t", "é", "\n"]
            let text = (0..<random.number(1...40)).map { _ in random.pick(letters) }.joined()
            let length = text.utf16.count
            let peers = (0..<random.number(0...3)).map { index in
                let (anchor, head) = (random.number(0...length), random.number(0...length))
                return peer("\(index)", Selection(anchor: Offset(anchor), head: Offset(head)))
            }
            let columns = random.number(6...14)
            let page = try page(text, peers)
            for row in rows(page, 60, columns) {
                let width = row.reduce(0) { $0 + ($1 == "本" || $1 == "😀" ? 2 : 1) }
                #expect(width <= columns, "\(row.debugDescription) of \(text.debugDescription)")
            }
        }
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
        let size = Terminal.Size(rows: 11, columns: 20)
        var scroll = WatchScroll()
        func top() -> WatchPage.RowPosition { scroll.top(in: page, size) }
        #expect(top() == .init(line: 0))
        scroll.changed(at: 100)
        #expect(top() == .init(line: 45))
        scroll.press(.up, height: 10)
        scroll.changed(at: 0)
        #expect(top() == .init(line: 44))
        scroll.press(.follow, height: 10)
        #expect(top() == .init(line: 0))
        for _ in 0..<20 { scroll.press(.pageDown, height: 10) }
        #expect(top() == .init(line: 91))
        scroll.press(.pageUp, height: 10)
        #expect(top() == .init(line: 81))
        scroll.press(.down, height: 10)
        #expect(top() == .init(line: 82))
        for _ in 0..<20 { scroll.press(.pageUp, height: 10) }
        #expect(top() == .init(line: 0))
        scroll.press(.down, height: 10)
        #expect(top() == .init(line: 1))
    }

    @Test("`watch` scrolls by rows, also inside a line that is longer than the screen")
    func scrollLongLine() throws {
        // With 12 columns, a row has nine letters, so the first line has eleven rows.
        let long = String(repeating: "x", count: 99)
        let size = Terminal.Size(rows: 5, columns: 12)
        let text = try page("\(long)\nend")
        var scroll = WatchScroll()
        func top(of page: WatchPage) -> WatchPage.RowPosition { scroll.top(in: page, size) }
        scroll.press(.pageDown, height: 4)
        #expect(top(of: text) == .init(line: 0, row: 4))
        let lastRows = text.rows(from: .init(line: 0, row: 10), size)
        #expect(lastRows == ["  xxxxxxxxx", "2 end", "~", "~", "notes 7"])
        for _ in 0..<5 { scroll.press(.pageDown, height: 4) }
        #expect(top(of: text) == .init(line: 0, row: 8))
        scroll.press(.up, height: 4)
        #expect(top(of: text) == .init(line: 0, row: 7))
        // The row of the change comes to the centre.
        scroll.changed(at: 10)
        scroll.press(.follow, height: 4)
        #expect(top(of: text) == .init(line: 0, row: 0))
        scroll.changed(at: 100)
        #expect(top(of: text) == .init(line: 0, row: 8))
        // The long line is deleted meanwhile.
        #expect(top(of: try page("end")) == .init(line: 0))
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
