import CaretWeb
import TestSupport
import Testing

@Suite("Delivered bytes of lines, computed from bytes of frames") struct WireLedgerTests {
    @Test("a line counts as delivered only after the last byte of its frame")
    func random() {
        var random = Seeded(7)
        for _ in 0..<300 {
            var ledger = WireLedger()
            let pieces = (0...random.number(0...90)).map { _ in
                (wire: random.number(1...30), lines: random.chance(20) ? 0 : random.number(1...30))
            }
            for piece in pieces { ledger.add(wireBytes: piece.wire, lineBytes: piece.lines) }
            var (written, lines) = (0, 0)
            let all = pieces.reduce(0) { $0 + $1.wire }
            while written < all {
                let count = random.number(1...min(40, all - written))
                written += count
                lines += ledger.wrote(count)
                #expect(ledger.waiting == all - written)
                check(lines, after: written, of: pieces)
            }
            #expect(ledger.isEmpty && lines == pieces.reduce(0) { $0 + $1.lines })
        }
    }

    private func check(_ lines: Int, after written: Int, of pieces: [(wire: Int, lines: Int)]) {
        var (left, whole, next) = (written, 0, 0)
        for piece in pieces {
            if left < piece.wire {
                next = min(left, max(0, piece.lines - 1))
                break
            }
            left -= piece.wire
            whole += piece.lines
        }
        #expect(whole...(whole + next) ~= lines)
    }
}
