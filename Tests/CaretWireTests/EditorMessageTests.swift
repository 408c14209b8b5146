import CaretWire
import Testing

@Suite("Messages of text editors") struct EditorMessageTests {
    private func decode(_ line: String) throws(EditorMessageFault) -> EditorMessage {
        try EditorMessage(Array(line.utf8))
    }

    @Test("each message is decoded")
    func messages() throws {
        let samples: [(String, EditorMessage)] = [
            (
                #"{"type":"change","seen":3,"first":1,"count":2,"lines":["a","é"]}"#,
                .change(.lines(first: 1, count: 2, new: ["a", "é"]), seen: 3)
            ),
            (
                #"{"type":"change","seen":0,"edits":[{"range":[4,5],"text":"x\n"}]}"#,
                .change(.edits([WireEdit(WireRange(4, 5), "x\n")]), seen: 0)
            ),
            (#"{"type":"applied","number":7}"#, .applied(7)),
            (
                #"{"type":"select","selections":[[[0,1],[2,3]],[4,5]]}"#,
                .select([
                    EditorSelection(anchor: .line(0, column: 1), head: .line(2, column: 3)),
                    EditorSelection(anchor: .offset(4), head: .offset(5)),
                ])
            ),
            (#"{"type":"undo"}"#, .undo), (#"{"type":"redo"}"#, .redo),
            (#"{"type":"save","later":null}"#, .save),
        ]
        for (line, message) in samples { #expect(try decode(line) == message) }
    }

    @Test(
        "every mistake is named",
        arguments: [
            (#"{"type":"#, "the line was refused: byte 8"),
            (String(repeating: "[", count: 512), "the line was refused: byte 0"),
            ("{}", "type is missing"),
            (#"{"type":"fly"}"#, #"type is "fly"; expected "change" or "applied""#),
            (#"{"type":"applied"}"#, "number is missing"),
            (#"{"type":"applied","number":-1}"#, "number is -1; expected an integer from 0"),
            (#"{"type":"change","lines":[],"first":0,"count":1}"#, "seen is missing"),
            (
                #"{"type":"change","seen":0,"lines":[1],"first":0,"count":1}"#,
                "lines[0] is 1; expected a string"
            ),
            (#"{"type":"change","seen":0,"edits":[{"range":[2,1],"text":""}]}"#, "edits[0].range ends at 1"),
            (#"{"type":"select","selections":[[1]]}"#, "selections[0] has 1 positions; expected 2"),
            (#"{"type":"select","selections":[[1,"a"]]}"#, "selections[0][1] is \"a\"; expected an integer"),
        ])
    func faults(line: String, sentence: String) throws {
        let fault = #expect(throws: EditorMessageFault.self) { try decode(line) }
        #expect(fault?.description.hasPrefix(sentence) == true, "\(fault?.description ?? "")")
    }

    @Test("a message may have 1000 selections, and not one more")
    func selections() throws {
        func line(_ count: Int) -> String {
            let selections = Array(repeating: "[0,0]", count: count).joined(separator: ",")
            return #"{"type":"select","selections":[\#(selections)]}"#
        }
        #expect(throws: Never.self) { try decode(line(1_000)) }
        let fault = #expect(throws: EditorMessageFault.self) { try decode(line(1_001)) }
        #expect(fault?.description.contains("1001 elements") == true)
    }
}
