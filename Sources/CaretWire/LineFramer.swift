/// Cuts the bytes of a connection into lines, in time that is linear however they arrive.
///
/// A line ends with LF; a CR in front of it is dropped and counts nothing, and an empty line is ignored. A line that
/// arrives whole is handed on where it lies. What is over the limit is known as soon as it is, and then nothing more
/// is framed. A value; confined to whoever owns the connection.
package struct LineFramer: Sendable {
    /// What became of the bytes so far.
    package enum Frame<Line> {
        /// A line was there, and this was made of it.
        case line(Line)
        /// All bytes are taken, and no line is complete.
        case incomplete
        /// A line is longer than may be: at least `bytes`, where `limit` were allowed.
        case tooLong(bytes: Int, limit: Int)
    }

    /// The bytes that a line may have, without its end. It may be raised between lines and within one.
    package var limit: Int

    /// The beginning of a line whose end has not arrived.
    private var begun: [UInt8] = []
    private var excess: Int?

    /// Room for more than this is not kept for the next line: there may be very many connections, most of them idle.
    private static let roomKept = 1 << 12
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    package init(limit: Int) { self.limit = limit }

    /// How many bytes are held of a line whose end has not arrived.
    package var begunBytes: Int { begun.count }

    /// Takes bytes off the front of `input` until a line is complete, and calls `body` with it.
    ///
    /// To be called until no line comes. The bytes that `body` is given are there only while it runs.
    package mutating func next<Line>(
        of input: inout UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Line
    ) -> Frame<Line> {
        if let excess { return .tooLong(bytes: excess, limit: limit) }
        while !input.isEmpty {
            guard let end = LineFramer.end(in: input) else { return hold(&input) }
            let piece = UnsafeRawBufferPointer(rebasing: input[..<end])
            input = UnsafeRawBufferPointer(rebasing: input[(end + 1)...])
            let length = contentLength(with: piece)
            if length > limit { return refuse(length) }
            if length > 0 { return .line(complete(with: piece, length, body)) }
            begun.removeAll(keepingCapacity: true)
        }
        return .incomplete
    }

    private static func end(in input: UnsafeRawBufferPointer) -> Int? {
        input.withMemoryRebound(to: UInt8.self) { $0.firstIndex(of: lineFeed, from: 0) }
    }

    /// The length of what was begun and `piece`, without a CR at their end.
    private func contentLength(with piece: UnsafeRawBufferPointer) -> Int {
        let length = begun.count + piece.count
        return (piece.last ?? begun.last) == LineFramer.carriageReturn ? length - 1 : length
    }

    private mutating func hold<Line>(_ input: inout UnsafeRawBufferPointer) -> Frame<Line> {
        let length = contentLength(with: input)
        if length > limit { return refuse(length) }
        begun.append(contentsOf: input)
        input = UnsafeRawBufferPointer(start: nil, count: 0)
        return .incomplete
    }

    private mutating func refuse<Line>(_ length: Int) -> Frame<Line> {
        excess = length
        begun = []
        return .tooLong(bytes: length, limit: limit)
    }

    private mutating func complete<Line>(
        with piece: UnsafeRawBufferPointer, _ length: Int, _ body: (UnsafeRawBufferPointer) -> Line
    ) -> Line {
        // A CR that was begun with is dropped here too: `length` says where the content ends.
        if begun.isEmpty { return body(UnsafeRawBufferPointer(rebasing: piece[..<length])) }
        begun.append(contentsOf: piece)
        let line = begun.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[..<length])) }
        begun.removeAll(keepingCapacity: begun.capacity <= LineFramer.roomKept)
        return line
    }
}
