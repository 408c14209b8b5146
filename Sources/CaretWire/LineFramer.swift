/// Splits the bytes of a connection into lines. The time is linear in the number of bytes, however
/// small the pieces are in which they arrive.
///
/// A line ends with LF. A CR before the LF is dropped and does not count, and empty lines are ignored. A line
/// that arrives in one piece is not copied. A line over the limit is detected at its first excess byte, and
/// framing stops there. Each connection has its own framer, which only the connection's loop uses.
package struct LineFramer: Sendable {
    /// The result of reading some bytes.
    package enum Frame<Line> {
        /// A line was complete, and `body` returned this value.
        case line(Line)
        /// All bytes were read, and the last line is not complete.
        case incomplete
        /// A line has at least `bytes` bytes, more than `limit`.
        case tooLong(bytes: Int, limit: Int)
    }

    /// The maximum number of bytes in a line, without its line end. This limit may be raised at any time.
    package var limit: Int

    /// The bytes of an incomplete line.
    private var incomplete: [UInt8] = []
    /// The length of the line that exceeded the limit; nil if there was none.
    private var refusedLength: Int?

    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    package init(limit: Int) { self.limit = limit }

    /// How many bytes of an incomplete line are buffered.
    package var incompleteBytes: Int { incomplete.count }

    /// Reads bytes from the start of `input` until a line is complete, and calls `body` with that line.
    ///
    /// Call this method until it returns no line. The bytes passed to `body` are valid only during the call.
    package mutating func next<Line>(
        of input: inout UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Line
    ) -> Frame<Line> {
        if let refusedLength { return .tooLong(bytes: refusedLength, limit: limit) }
        while !input.isEmpty {
            guard let end = LineFramer.end(in: input) else { return keepIncomplete(&input) }
            let piece = UnsafeRawBufferPointer(rebasing: input[..<end])
            input = UnsafeRawBufferPointer(rebasing: input[(end + 1)...])
            let length = contentLength(with: piece)
            if length > limit { return refuse(length) }
            if length > 0 { return .line(complete(with: piece, length, body)) }
            incomplete.removeAll(keepingCapacity: true)
        }
        return .incomplete
    }

    private static func end(in input: UnsafeRawBufferPointer) -> Int? {
        input.withMemoryRebound(to: UInt8.self) { $0.firstIndex(of: lineFeed, from: 0) }
    }

    /// The total length of the buffered bytes and `piece`, without a CR at the end.
    private func contentLength(with piece: UnsafeRawBufferPointer) -> Int {
        let length = incomplete.count + piece.count
        return (piece.last ?? incomplete.last) == LineFramer.carriageReturn ? length - 1 : length
    }

    /// Buffers all of `input`, including line ends, as the next bytes of a message that `endMessage` ends.
    package mutating func keepIncomplete<Line>(_ input: inout UnsafeRawBufferPointer) -> Frame<Line> {
        if let refusedLength { return .tooLong(bytes: refusedLength, limit: limit) }
        let length = contentLength(with: input)
        if length > limit { return refuse(length) }
        incomplete.append(contentsOf: input)
        input = UnsafeRawBufferPointer(start: nil, count: 0)
        return .incomplete
    }

    /// Calls `body` with the buffered bytes, and removes them. Returns nil if no bytes are buffered.
    package mutating func endMessage<Line>(_ body: (UnsafeRawBufferPointer) -> Line) -> Line? {
        if incomplete.isEmpty { return nil }
        return complete(with: UnsafeRawBufferPointer(start: nil, count: 0), incomplete.count, body)
    }

    private mutating func refuse<Line>(_ length: Int) -> Frame<Line> {
        refusedLength = length
        incomplete = []
        return .tooLong(bytes: length, limit: limit)
    }

    private mutating func complete<Line>(
        with piece: UnsafeRawBufferPointer, _ length: Int, _ body: (UnsafeRawBufferPointer) -> Line
    ) -> Line {
        // The content ends at `length`, so this also drops a CR that is already in `incomplete`.
        if incomplete.isEmpty { return body(UnsafeRawBufferPointer(rebasing: piece[..<length])) }
        incomplete.append(contentsOf: piece)
        let line = incomplete.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[..<length])) }
        // Frees the memory, because there may be very many idle connections.
        incomplete = []
        return line
    }
}
