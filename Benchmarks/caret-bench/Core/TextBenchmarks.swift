import CaretCore
import TestSupport

/// Edits of a `TextBuffer`, compared to edits of a gap buffer.
struct TextBenchmarks {
    let rounds: Int

    func run() {
        runTraces()
        runLongText()
    }

    private func runTraces() {
        if let reason = TraceFolder.reasonForAbsence {
            print("SKIPPED recorded sessions: \(reason)\n")
            return
        }
        var table = Table(["session", "edits", "Text, an edit", "gap buffer", "ratio"])
        var plot = Plot("An edit of a recorded session", ["Text", "gap buffer, no snapshots"]) { $0.time }
        for name in Trace.names {
            let trace = mustSucceed { try Trace(named: name) }
            let plain = PlainEdits(trace.edits)
            let start = mustSucceed { try TextBuffer(trace.start) }
            let times = best(
                of: rounds,
                [{ replay(trace.edits, from: start) }, { plain.replay(from: Array(trace.start.utf16)) }])
            let edits = Double(trace.edits.count)
            table.row(
                name, String(trace.edits.count), (times[0] / edits).time, (times[1] / edits).time,
                (times[0] / times[1]).digits(2))
            plot.group(name, times.map { $0 / edits })
        }
        plot.draw(as: "core-edits")
        table.print(under: "Recorded sessions, replayed")
    }

    private func replay(_ edits: [Edit], from start: TextBuffer) {
        var text = start
        let edits = edits.span
        mustSucceed { for index in edits.indices { try text.apply(edits[index]) } }
        consume(text.length)
    }

    private func runLongText() {
        var random = Seeded(1)
        let string = SampleText.lines(bytes: 10_000_000, &random)
        let edits = (0..<200_000).map { _ in randomEdit(in: string.utf8.count, &random) }
        let empty = heapBytes()
        var text = mustSucceed { try TextBuffer(string) }
        let loaded = heapBytes() - empty
        let time = best(of: 1) { for edit in edits { mustSucceed { try text.apply(edit) } } }
        let edited = heapBytes() - empty
        let editedLength = text.length.utf8
        let snapshotTime = best(of: 1) {
            for edit in edits.prefix(20_000) {
                let snapshot = text
                mustSucceed { try text.apply(edit) }
                consume(snapshot.length)
            }
        }
        let few = PlainEdits(Array(edits.prefix(300)))
        let plain =
            best(of: 3) { few.replay(from: Array(string.utf16)) }
            - best(of: 3) { few.replayNothing(from: Array(string.utf16)) }
        var table = Table(["10 MB of text", "Text", "gap buffer"])
        table.row("a random edit", (time / Double(edits.count)).time, (plain / 300).time)
        table.row("a random edit after a snapshot", (snapshotTime / 20_000).time, "none")
        table.row("memory a byte, loaded", (Double(loaded) / 1e7).digits(3), "2")
        table.row("memory a byte, after the edits", (Double(edited) / Double(editedLength)).digits(3), "2")
        table.print(
            under: "A long text, \(edits.count) random edits: half insert a word, half remove some letters")
    }

    private func randomEdit(in length: Int, _ random: inout Seeded) -> Edit {
        let start = random.number(0...length - 2000)
        return random.chance(50)
            ? SampleChange.edit(start, start, SampleText.word(&random))
            : SampleChange.edit(start, start + random.number(1...9), "")
    }
}

/// Edits in the cheapest form for a gap buffer: all inserted units in one block.
private struct PlainEdits {
    private let edits: [(start: Int, removed: Int, units: Range<Int>)]
    private let units: [UInt16]
    private let room: Int

    init(_ edits: [Edit]) {
        var units: [UInt16] = []
        self.edits = edits.map { edit in
            let first = units.count
            units.append(contentsOf: edit.text.utf16)
            return (
                edit.range.lowerBound.value, edit.range.upperBound - edit.range.lowerBound,
                first..<units.count
            )
        }
        self.units = units
        room = units.count + 1
    }

    func replay(from start: [UInt16]) {
        var buffer = GapBuffer(start, room: room)
        units.withUnsafeBufferPointer { units in
            for edit in edits {
                buffer.replace(edit.start, edit.removed, UnsafeBufferPointer(rebasing: units[edit.units]))
            }
        }
        consume(buffer.count)
    }

    /// A replay without edits, to measure its fixed cost.
    func replayNothing(from start: [UInt16]) {
        let buffer = GapBuffer(start, room: room)
        consume(buffer.count)
    }
}
