import Glibc

/// One connection that speaks the protocol and waits for each answer.
final class PlainClient {
    private let socket: Int32
    private var input: [UInt8] = []
    private var seq = 0

    init(_ client: String, port: UInt16) {
        socket = connected(to: port)
        ask(#"{"type":"hello","protocol":1,"client":"\#(client)"}"#, .welcome) { _ in }
    }

    deinit { close(socket) }

    /// Makes a document of a text of ASCII.
    func make(_ name: String, _ text: String) {
        seq += 1
        let text = text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: #"\n"#)
        let push = #"{"type":"push","doc":"\#(name)","base":0,"seq":\#(seq),"text":"\#(text)","create":true}"#
        ask(push, .ack) { _ in }
    }

    /// Opens a document, and answers with its revision and how long that took in nanoseconds, from the first byte
    /// written to the last one read.
    func open(_ name: String) -> (revision: Int, time: Double) {
        let start = wallNanoseconds()
        return ask(#"{"type":"open","doc":"\#(name)"}"#, .opened) { line in
            let time = wallNanoseconds() - start
            return (line.number(at: line.place(behind: #""rev":"#)), time)
        }
    }

    /// Says a line, and gives the next line, which is of that kind, to `body`.
    @discardableResult
    private func ask<Answer>(_ line: String, _ kind: LineKind, _ body: (UnsafeRawBufferPointer) -> Answer)
        -> Answer
    {
        var rest = Array((line + "\n").utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(socket, $0.baseAddress, $0.count) }
            precondition(count > 0, "the server does not take a line")
            rest = rest.dropFirst(count)
        }
        while true {
            let answer = nextLine()
            let taken = answer.withUnsafeBytes { bytes -> Answer? in
                if bytes.kind == kind { return body(bytes) }
                precondition(bytes.kind == .check || bytes.kind == .ping, "the server said: \(bytes.string)")
                return nil
            }
            if let taken { return taken }
        }
    }

    /// Without its end.
    private func nextLine() -> [UInt8] {
        var seen = 0
        while true {
            if let end = input[seen...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { input.removeFirst(end + 1) }
                return Array(input[..<end])
            }
            seen = input.count
            let piece = [UInt8](unsafeUninitializedCapacity: 1 << 18) { buffer, count in
                count = max(0, read(socket, buffer.baseAddress, buffer.count))
            }
            precondition(!piece.isEmpty, "the server has ended a connection")
            input += piece
        }
    }
}
