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

    /// Pushes ASCII lines as the whole text of a document. Returns the new revision.
    func push(_ name: String, _ lines: [String], _ epoch: String, base: Int) -> Int {
        seq += 1
        let text = lines.joined(separator: #"\n"#)
        let push =
            #"{"type":"push","doc":"\#(name)","epoch":"\#(epoch)","base":\#(base),"seq":\#(seq),"text":"\#(text)"}"#
        return ask(push, .ack) { $0.number(at: $0.end(of: #""rev":"#)) }
    }

    /// Replaces a range of a document by an ASCII text. Returns the new revision.
    @discardableResult
    func edit(_ name: String, _ range: Range<Int>, _ text: String, _ epoch: String, base: Int) -> Int {
        seq += 1
        let edit = #"{"range":[\#(range.lowerBound),\#(range.upperBound)],"text":"\#(text)"}"#
        let push =
            #"{"type":"push","doc":"\#(name)","epoch":"\#(epoch)","base":\#(base),"seq":\#(seq),"edits":[\#(edit)]}"#
        return ask(push, .ack) { $0.number(at: $0.end(of: #""rev":"#)) }
    }

    /// Reads the text of a document at a revision, or the newest text.
    func read(_ name: String, at revision: Int? = nil) {
        let at = revision.map { #","rev":\#($0)"# } ?? ""
        ask(#"{"type":"read","doc":"\#(name)"\#(at)}"#, .text) { _ in }
    }

    /// The newest revision of a document.
    func head(of name: String) -> Int {
        ask(#"{"type":"read","doc":"\#(name)"}"#, .text) { $0.number(at: $0.end(of: #""rev":"#)) }
    }

    /// Reads the first 100 names of documents.
    func list() { ask(#"{"type":"list","limit":100}"#, .listed) { _ in } }

    /// Selects so many carets in a text of at least `spread` letters. The server sends no answer.
    func select(_ name: String, _ count: Int, among spread: Int, at revision: Int) {
        let carets = (0..<count).map { "[\($0 * spread / count),\($0 * spread / count)]" }
        let list = carets.joined(separator: ",")
        socket.write(
            #"{"type":"select","doc":"\#(name)","rev":\#(revision),"selections":[\#(list)]}"# + "\n")
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
                // Other clients' changes and carets, and messages that need no answer within a benchmark.
                switch bytes.kind {
                case .change?, .check?, .peer?, .ping?: return nil
                default: preconditionFailure("the server sent an unexpected line: \(bytes.string)")
                }
            }
            if let taken { return taken }
        }
    }
}
