import CaretCore
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("connection: limits and deadlines of incoming lines")
struct ConnectionLineTests {
    /// Rule L8.
    @Test("malformed lines get errors, and the 20th in 10 s closes the connection")
    func faults() {
        let world = ConnectionWorld.welcomed()
        for number in 1..<20 {
            let line = [#"{"type":"#, #"{"type":"open","id":3}"#, #"{"type":"dance"}"#][number % 3]
            let words = world.says(line)
            #expect(said(words) == [["bad_json", "bad_message", "unknown_type"][number % 3]])
            #expect(words.count == 1)
        }
        world.pass(seconds: 10)
        #expect(world.says("x").contains("[end output]"))
    }

    /// Rule L8.
    @Test("malformed lines at a low rate and other errors close no connection")
    func slowFaults() {
        let world = ConnectionWorld.welcomed()
        world.says("x")
        world.pass(seconds: 10.001)
        for _ in 1..<20 { #expect(!world.says("x").contains("[end output]")) }
        let other = ConnectionWorld.welcomed()
        for _ in 0..<100 { #expect(said(other.says(#"{"type":"close","doc":"a"}"#)) == ["not_open"]) }
    }

    @Test("an error repeats all ids that could be read from the bad message")
    func faultReply() {
        let world = ConnectionWorld.welcomed()
        let words = world.says(#"{"type":"push","id":"p","doc":"a","seq":3,"base":-1,"edits":[]}"#)
        #expect(words.count == 1)
        #expect(words[0].contains(#""id":"p","doc":"a","seq":3,"code":"bad_message""#))
    }

    /// Rule L1.
    @Test("a line at the limit is accepted, one byte more closes the connection")
    func lineLimit() {
        for (count, expected) in [(100, [#"{"type":"pong"}"#]), (101, ["line_too_long"])] {
            let world = ConnectionWorld.welcomed { $0.announced.line = 100 }
            let ping = #"{"type":"ping"}"#
            let words = world.says(ping + String(repeating: " ", count: count - ping.utf8.count))
            #expect(said(words) == expected)
            #expect(words.contains("[end output]") == (count == 101))
        }
    }

    /// Rule L4.
    @Test("memory for a long line is claimed in steps and released after the line")
    func claims() {
        let world = ConnectionWorld.welcomed()
        let step = String(repeating: " ", count: 65_536)
        #expect(world.bytes(step) == [])
        #expect(world.bytes(" ") == ["[claim 65536]"])
        #expect(world.bytes(step) == ["[claim 65536]"])
        #expect(
            world.bytes(step + #"{"type":"ping"}"# + "\n") == [#"< {"type":"pong"}"#, "[release 131072]"])
    }

    /// Rule L4.
    @Test("a connection closes if the server has no memory for its line")
    func refusedClaim() {
        let world = ConnectionWorld.welcomed()
        world.bytes(String(repeating: " ", count: 70_000))
        world.bytes(String(repeating: " ", count: 70_000))
        let words = world.happens { $0.lineRefused() }
        #expect(said(words) == ["overloaded"])
        // The connection claimed memory twice, but the server refused the second claim. So the connection
        // releases only the bytes of the first claim.
        #expect(words.filter { $0.hasPrefix("[release") } == ["[release 65536]"])
        #expect(world.happens { $0.lineRefused() } == [])
    }

    /// Rule L4.
    @Test("all connections together cannot claim more than the line budget")
    func budget() {
        var budget = LineBudget(Limits().lineBudget)
        var answers = [budget.claim(256 << 20), budget.claim(1)]
        budget.release(5)
        answers += [budget.claim(5), budget.claim(1)]
        #expect(answers == [true, false, true, false])
    }

    @Test("a new limit of the line budget keeps reserved bytes reserved")
    func changedBudget() {
        var budget = LineBudget(10)
        var answers = [budget.claim(8)]
        budget.setLimit(5)
        answers += [budget.claim(1)]
        #expect(budget.left == -3)
        budget.release(8)
        #expect(budget.left == 5)
        answers += [budget.claim(6), budget.claim(5)]
        #expect(answers == [true, false, false, true])
    }

    /// Rules L3 and E2.
    @Test("a line must be complete in 30 s, plus 1 s for each 64 KiB")
    func lineDeadline() {
        for (bytes, seconds) in [(100, 30.0), (65_536, 31), (131_072, 32)] {
            let world = ConnectionWorld.welcomed { $0.pingSeconds = 1_000 }
            world.bytes(String(repeating: " ", count: bytes))
            #expect(said(world.pass(seconds: seconds - 0.001)) == [])
            #expect(said(world.pass(seconds: 0.001)) == [#"{"type":"bye","reason":"too_slow"}"#])
        }
    }

    @Test("the deadline of a line counts from the first byte of that line")
    func nextLine() {
        let world = ConnectionWorld.welcomed { $0.pingSeconds = 1_000 }
        world.bytes(" ")
        world.pass(seconds: 29)
        world.bytes(#"{"type":"ping"}"# + "\n ")
        #expect(world.pass(seconds: 29) == [])
        #expect(!world.pass(seconds: 1).isEmpty)
    }

    /// Rule O4.
    @Test("the connection pauses its input while too much output is unwritten")
    func waitingOutput() {
        let world = ConnectionWorld.welcomed { $0.waitingOutput = 40 }
        world.isWrittenAtOnce = false
        let ping = #"{"type":"ping"}"#
        let pong = #"< {"type":"pong"}"#
        #expect(world.says(ping, ping) == [pong, pong])
        #expect(world.says(ping, ping, ping) == [pong, "[pause]"])
        #expect(world.written(7) == [])
        #expect(world.written(1) == [pong])
        #expect(world.written(32) == [pong, "[resume]"])
    }

    /// Rule O4.
    @Test("without memory for output, who has not read 64 KiB gets no further answers, until they have read")
    func usedUp() {
        for (bytes, isPaused) in [(Limits.freeOutput, false), (Limits.freeOutput + 1, true)] {
            let world = ConnectionWorld.welcomed()
            world.says(#"{"type":"open","doc":"a"}"#)
            world.opened(1)
            world.isWrittenAtOnce = false
            world.isOutputUsedUp.change { $0 = true }
            world.room(String(repeating: "x", count: bytes - 1), to: 1)
            let pong = world.says(#"{"type":"ping"}"#).filter { $0.contains("pong") }
            #expect(pong.isEmpty == isPaused)
            if isPaused { #expect(world.written(1).contains { $0.contains("pong") }) }
        }
    }

    @Test("without memory for output, a long answer that is no text is refused")
    func longAnswer() {
        let overloaded = "the server has no memory left for another long answer; try again later"
        for (isUsedUp, extra, isRefused) in [(true, 0, false), (true, 1, true), (false, 1, false)] {
            let world = ConnectionWorld.welcomed()
            world.isOutputUsedUp.change { $0 = isUsedUp }
            func answer(_ name: Int) -> String {
                world.says(#"{"type":"history","id":1,"doc":"a"}"#)
                let document = WireString(String(repeating: "a", count: name))
                let page = ServerMessage.revisions(Revisions(document: document, revisions: []))
                return world.hubSent(.answered(Envelope(page, id: .number(1))))[0]
            }
            // The word of an answer is its line after two other characters, without the line break.
            let others = answer(0).utf8.count - 2 + 1
            let line = answer(Limits.freeOutput - others + extra)
            #expect(line.contains(#""code":"overloaded","message":"\#(overloaded)""#) == isRefused)
            #expect(line.contains(#""type":"revisions""#) != isRefused)
            let text = WireText(
                document: "a", epoch: "1.1", revision: 1,
                text: WireString(String(repeating: "a", count: Limits.freeOutput)), newline: .lf)
            world.says(#"{"type":"read","id":2,"doc":"a"}"#)
            #expect(world.hubSent(.answered(Envelope(.text(text), id: .number(2))))[0].contains("\"text\""))
        }
    }

    /// Rule O4.
    @Test(
        "without memory for output, who accepts nothing for five seconds is disconnected, and others are not")
    func stalled() {
        let tooSlow = #"< {"type":"bye","reason":"too_slow"}"#
        for (bytes, ends) in [(Limits.freeOutput, false), (Limits.freeOutput + 1, true)] {
            for isUsedUp in [false, true] {
                let world = ConnectionWorld.welcomed { $0.pingSeconds = 1_000 }
                world.says(#"{"type":"open","doc":"a"}"#)
                world.opened(1)
                world.isWrittenAtOnce = false
                world.room(String(repeating: "x", count: bytes - 1), to: 1)
                world.pass(seconds: 4)
                world.isOutputUsedUp.change { $0 = isUsedUp }
                #expect(!world.pass(seconds: 0.999).contains(tooSlow))
                #expect(world.pass(seconds: 0.001).contains(tooSlow) == (ends && isUsedUp))
            }
        }
        // The connection notices in time, although nothing else happens.
        let world = ConnectionWorld.welcomed()
        world.isWrittenAtOnce = false
        world.says(#"{"type":"open","doc":"a"}"#)
        world.opened(1)
        world.room(String(repeating: "x", count: Limits.freeOutput), to: 1)
        #expect(world.wakes.contains(world.now + Int64(Limits.usedUpSeconds) * 1_000))
    }

    /// Rules H9 and E1.
    @Test("a client silent for 20 s is pinged, and disconnected after 20 s more")
    func silence() {
        let world = ConnectionWorld.welcomed()
        #expect(world.pass(seconds: 19.999) == [])
        #expect(world.pass(seconds: 0.001) == [#"< {"type":"ping"}"#])
        world.pass(seconds: 19)
        #expect(world.says(#"{"type":"pong"}"#) == [])
        #expect(world.pass(seconds: 20) == [#"< {"type":"ping"}"#])
        #expect(
            world.pass(seconds: 20) == [#"< {"type":"bye","reason":"idle"}"#, "[leave]", "[end output]"])
    }

    @Test("input that arrived in time prevents a timeout, even if it is read late")
    func readLate() {
        let world = ConnectionWorld.welcomed()
        #expect(world.pass(seconds: 20) == [#"< {"type":"ping"}"#])
        world.passUnnoticed(seconds: 60)
        #expect(world.says(#"{"type":"pong"}"#) == [])
        #expect(world.pass(seconds: 19.999) == [])
        #expect(world.pass(seconds: 0.001) == [#"< {"type":"ping"}"#])

        let newcomer = ConnectionWorld()
        newcomer.passUnnoticed(seconds: 60)
        #expect(newcomer.says(ConnectionWorld.hello) == ["[authenticate nobody]", "[pause]"])

        let writer = ConnectionWorld.welcomed { $0.pingSeconds = 1_000 }
        writer.bytes(#"{"type":"pi"#)
        writer.passUnnoticed(seconds: 600)
        #expect(writer.bytes("ng\"}\n") == [#"< {"type":"pong"}"#])
        writer.bytes(#"{"type":"pi"#)
        writer.passUnnoticed(seconds: 600)
        #expect(
            writer.bytes("n") == [#"< {"type":"bye","reason":"too_slow"}"#, "[leave]", "[end output]"])
    }

    @Test("a client is not idle while the server has paused reading from it")
    func pausedSilence() {
        let world = ConnectionWorld.welcomed { $0.waitingLines = 1 }
        world.says(#"{"type":"list"}"#)
        #expect(world.says(#"{"type":"list"}"#) == ["[pause]"])
        #expect(world.pass(seconds: 100) == [])
    }

    /// Rules O9 and E2.
    @Test("30 s without reading disconnects a client, but slow reading does not")
    func taking() {
        let world = ConnectionWorld.welcomed { $0.pingSeconds = 1_000 }
        world.isWrittenAtOnce = false
        for _ in 0..<3 { world.says(#"{"type":"ping"}"#) }
        world.pass(seconds: 29)
        #expect(world.written(16) == [])
        #expect(world.pass(seconds: 29.999) == [])
        #expect(
            world.pass(seconds: 0.001) == [
                #"< {"type":"bye","reason":"too_slow"}"#, "[leave]", "[end output]",
            ])
        #expect(world.pass(seconds: 1) == ["[close]"])
    }

    /// Rule L3.
    @Test("the deadline of a line also applies while the client reads slowly")
    func drip() {
        let world = ConnectionWorld.welcomed { $0.pingSeconds = 1_000 }
        world.isWrittenAtOnce = false
        world.says(#"{"type":"ping"}"#)
        world.pass(seconds: 20)
        world.written(1)
        #expect(world.pass(seconds: 9.999) == [])
        #expect(said(world.pass(seconds: 0.001)) == [#"{"type":"bye","reason":"too_slow"}"#])
    }

    /// Rule L9. The 1 s begins when the error has been written to the socket.
    @Test("after a fatal error, the server drops input for at most 1 s or 1 MiB")
    func dropping() {
        let world = ConnectionWorld.welcomed { $0.announced.line = 10 }
        world.isWrittenAtOnce = false
        world.bytes("12345678901")
        #expect(world.pass(seconds: 5) == [])
        world.written(500)
        #expect(world.pass(seconds: 0.999) == [])
        #expect(world.bytes(String(repeating: "x", count: 1 << 20)) == [])
        #expect(world.bytes("x") == ["[close]"])
        let idle = ConnectionWorld.welcomed { $0.announced.line = 10 }
        idle.bytes("12345678901")
        #expect(idle.pass(seconds: 0.999) == [])
        #expect(idle.pass(seconds: 0.001) == ["[close]"])
    }
}
