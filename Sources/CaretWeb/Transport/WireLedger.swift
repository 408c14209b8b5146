/// Converts numbers of bytes on a transport to numbers of bytes of lines.
///
/// A connection's state counts the bytes of its lines, with their line ends. Frames have other lengths. Some
/// bytes, such as those of a pong, belong to no line.
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

    /// Notes that these bytes were written. Returns how many bytes of lines were certainly among them. The
    /// last byte of a piece's lines is counted only after the last byte of the piece was written.
    package mutating func wrote(_ wireBytes: Int) -> Int {
        var (left, lineBytes) = (wireBytes, 0)
        waiting -= wireBytes
        // A piece of 0 bytes on the transport counts as written when all bytes before it are written.
        while !isEmpty, left > 0 || pieces[first].wireBytes == 0 {
            let piece = pieces[first]
            if left < piece.wireBytes {
                // The last byte of the lines is counted only with the last byte of the piece.
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
