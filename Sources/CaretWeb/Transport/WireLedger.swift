/// Translates between the bytes of a transport and the bytes of lines.
///
/// A connection's state counts the bytes of its lines, with their line ends. Frames have other lengths. Some bytes,
/// such as those of a pong, belong to no line.
package struct WireLedger: Equatable, Sendable {
    private struct Piece: Equatable, Sendable {
        var wireBytes: Int
        var lineBytes: Int
    }

    package init() {}

    /// The pieces that are not written completely, oldest first.
    private var pieces: [Piece] = []
    private var first = 0
    /// Bytes that were not written yet.
    package private(set) var waiting = 0

    package var isEmpty: Bool { first == pieces.count }

    package mutating func add(wireBytes: Int, lineBytes: Int) {
        waiting += wireBytes
        pieces.append(Piece(wireBytes: wireBytes, lineBytes: lineBytes))
    }

    /// Notes that these bytes were written. Returns how many bytes of lines have left for certain: all bytes of a
    /// piece once its last byte was written, and never more than were written.
    package mutating func wrote(_ wireBytes: Int) -> Int {
        var (left, lineBytes) = (wireBytes, 0)
        waiting -= wireBytes
        while left > 0, !isEmpty {
            let piece = pieces[first]
            if left < piece.wireBytes {
                // The last line byte leaves with the last wire byte.
                let lines = min(left, max(0, piece.lineBytes - 1))
                pieces[first] = Piece(wireBytes: piece.wireBytes - left, lineBytes: piece.lineBytes - lines)
                lineBytes += lines
                break
            }
            left -= piece.wireBytes
            lineBytes += piece.lineBytes
            first += 1
        }
        dropWritten()
        return lineBytes
    }

    private mutating func dropWritten() {
        // Removes at least half of the array at a time, so that each piece has the same cost.
        if isEmpty || first > 64 && first * 2 > pieces.count {
            pieces.removeFirst(first)
            first = 0
        }
    }
}
