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

    /// The oldest piece that is not written completely. On most connections it is the only one, so it needs no
    /// memory of its own.
    private var oldest: Piece?
    /// The pieces after `oldest`, from the index `next`.
    private var later: [Piece] = []
    private var next = 0
    /// Bytes that were not written yet.
    package private(set) var waiting = 0

    package var isEmpty: Bool { oldest == nil }

    package mutating func add(wireBytes: Int, lineBytes: Int) {
        waiting += wireBytes
        let piece = Piece(wireBytes: wireBytes, lineBytes: lineBytes)
        if oldest == nil { oldest = piece } else { later.append(piece) }
    }

    /// Notes that these bytes were written. Returns how many bytes of lines were certainly among them. The
    /// last byte of a piece's lines is counted only after the last byte of the piece was written.
    package mutating func wrote(_ wireBytes: Int) -> Int {
        var (left, lineBytes) = (wireBytes, 0)
        waiting -= wireBytes
        // A piece of 0 bytes on the transport counts as written when all bytes before it are written.
        while let piece = oldest, left > 0 || piece.wireBytes == 0 {
            if left < piece.wireBytes {
                // The last byte of the lines is counted only with the last byte of the piece.
                let lines = min(left, max(0, piece.lineBytes - 1))
                oldest = Piece(wireBytes: piece.wireBytes - left, lineBytes: piece.lineBytes - lines)
                lineBytes += lines
                break
            }
            left -= piece.wireBytes
            lineBytes += piece.lineBytes
            removeOldest()
        }
        return lineBytes
    }

    private mutating func removeOldest() {
        guard next < later.count else {
            oldest = nil
            return
        }
        oldest = later[next]
        next += 1
        // Removes at least half of the array at a time, so that each piece has the same cost.
        if next == later.count || next > 64 && next * 2 > later.count {
            later.removeFirst(next)
            next = 0
        }
    }
}
