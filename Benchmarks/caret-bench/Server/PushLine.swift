/// What a writer pushes: a line where only the numbers change, or an update of Yjs.
struct PushLine {
    private let dialect: WireDialect
    private let document: String
    /// The writer's number in its document.
    private let number: Int
    /// The bytes before the base and after the seq. A line without numbers is all in `head`.
    private var head: [UInt8] = []
    private let tail: [UInt8]

    init(_ crowd: Crowd, _ dialect: WireDialect, _ number: Int, in document: Int) {
        self.dialect = dialect
        self.document = Crowd.name(of: document)
        self.number = number
        let letter = String(UnicodeScalar(Crowd.alphabet[number]))
        let text = String(repeating: letter, count: crowd.letters)
        // Each writer writes at its own offset.
        let start = Crowd.offset(of: number)
        let end = crowd.letters == 1 ? start : start + crowd.letters
        switch dialect {
        case .caret:
            tail = Array(#","edits":[{"range":[\#(start),\#(end)],"text":"\#(text)"}]}"#.utf8) + [0x0A]
        case .bare:
            // Pads the line, because all lines of the bare server have the same length.
            let padding = String(repeating: "x", count: NetLoad.lineBytes - 3)
            head = Array("P\(text)\(padding)\n".utf8)
            tail = []
        case .yjs: tail = []
        }
    }

    /// The letter that identifies the writer in its text.
    var letter: UInt8 { Crowd.alphabet[number] }

    /// Sets the epoch, which the client learns when it opens the document.
    mutating func begin(epoch: String) {
        head = Array(#"{"type":"push","doc":"\#(document)","epoch":"\#(epoch)","base":"#.utf8)
    }

    func write(to channel: ClientChannel, base: Int, seq: Int) {
        switch dialect {
        case .bare: writeWhole(head, to: channel.socket)
        case .yjs:
            let place = Crowd.offset(of: number)
            let message = YjsMessage.letter(letter, at: place, by: 100 + number, clock: seq - 1)
            WebSocket.send(message, to: channel.socket)
        case .caret:
            withUnsafeTemporaryAllocation(byteCount: head.count + tail.count + 64, alignment: 1) { line in
                line.copyBytes(from: head)
                var count = PushLine.put(base, into: line, at: head.count)
                let middle: StaticString = #","seq":"#
                for place in 0..<middle.utf8CodeUnitCount { line[count + place] = middle.utf8Start[place] }
                count = PushLine.put(seq, into: line, at: count + middle.utf8CodeUnitCount)
                UnsafeMutableRawBufferPointer(rebasing: line[count...]).copyBytes(from: tail)
                channel.send(UnsafeRawBufferPointer(rebasing: line[..<(count + tail.count)]))
            }
        }
    }

    /// Writes the digits of a number at an index. Returns the index after them.
    private static func put(_ number: Int, into line: UnsafeMutableRawBufferPointer, at place: Int) -> Int {
        var (rest, digits) = (number, 1)
        while rest > 9 {
            rest /= 10
            digits += 1
        }
        rest = number
        for digit in (0..<digits).reversed() {
            line[place + digit] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
        return place + digits
    }
}
