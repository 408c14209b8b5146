/// One connection that speaks the protocol and waits for each answer.
final class PlainClient {
    private let socket: LineSocket
    private var seq = 0

    init(_ client: String, port: UInt16) {
        socket = LineSocket(port: port)
        ask(#"{"type":"hello","protocol":1,"client":"\#(client)"}"#, .welcome) { _ in }
    }

    /// Makes a document with an ASCII text.
    func make(_ name: String, _ text: String) {
        seq += 1
        let text = text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: #"\n"#)
        let push = #"{"type":"push","doc":"\#(name)","base":0,"seq":\#(seq),"text":"\#(text)","create":true}"#
        ask(push, .ack) { _ in }
    }

    /// Pushes an ASCII text as the whole text of a document. Returns the new revision.
    func push(_ name: String, _ text: String, _ epoch: String, base: Int) -> Int {
        seq += 1
        let text = text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: #"\n"#)
        let push =
            #"{"type":"push","doc":"\#(name)","epoch":"\#(epoch)","base":\#(base),"seq":\#(seq),"text":"\#(text)"}"#
        return ask(push, .ack) { $0.number(at: $0.end(of: #""rev":"#)) }
    }

    /// Opens a document. Returns its revision, its epoch and the time in nanoseconds, from the first byte
    /// written to the last one read.
    func open(_ name: String) -> (revision: Int, epoch: String, time: Double) {
        let start = wallNanoseconds()
        return ask(#"{"type":"open","doc":"\#(name)"}"#, .opened) { line in
            let time = wallNanoseconds() - start
            let epoch = line.end(of: #""epoch":""#)
            let end = line[epoch...].firstIndex(of: UInt8(ascii: "\"")) ?? line.count
            let name = String(decoding: line[epoch..<end], as: UTF8.self)
            return (line.number(at: line.end(of: #""rev":"#)), name, time)
        }
    }

    /// Sends a line, and calls `body` with the next line of this kind.
    @discardableResult
    private func ask<Answer>(_ line: String, _ kind: LineKind, _ body: (UnsafeRawBufferPointer) -> Answer)
        -> Answer
    {
        socket.write(line + "\n")
        while true {
            let answer = socket.nextLine()
            let taken = answer.withUnsafeBytes { bytes -> Answer? in
                if bytes.kind == kind { return body(bytes) }
                precondition(
                    bytes.kind == .check || bytes.kind == .ping,
                    "the server sent an unexpected line: \(bytes.string)")
                return nil
            }
            if let taken { return taken }
        }
    }
}
