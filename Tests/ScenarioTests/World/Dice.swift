import TestSupport

/// Chance that hangs on what is asked and when, and on nothing that was asked before: a step taken out of a plan leaves
/// the luck of the others as it was.
struct Dice {
    private let seed: UInt64

    init(_ seed: UInt64) { self.seed = seed }

    /// What chance is asked about.
    enum Question: UInt64 {
        case queue, pause, link, piece, store, answer, outcome, loss, reconnect, close
        // By these numbers, so that seeds keep their luck.
        case buffer = 11
        case interruption = 13
    }

    /// A source of numbers for one question about one thing at one time.
    func roll(_ question: Question, _ thing: Int, at time: Int64) -> Seeded {
        var mixed = Seeded(seed &* 0x9E37_79B9_7F4A_7C15 ^ question.rawValue << 56 ^ UInt64(bitPattern: time))
        return Seeded(mixed.next() ^ UInt64(bitPattern: Int64(thing)) &* 0xD6E8_FEB8_6659_FD93)
    }

    /// Microseconds until a queue comes to what it was given: mostly few, sometimes as long as a busy machine takes.
    func delay(_ question: Question, _ thing: Int, at time: Int64) -> Int64 {
        var random = roll(question, thing, at: time)
        switch random.number(0...99) {
        case ..<70: return Int64(random.number(1...90))
        case ..<94: return Int64(random.number(90...1_500))
        case ..<99: return Int64(random.number(1_500...12_000))
        default: return Int64(random.number(12_000...80_000))
        }
    }
}

extension Seeded {
    /// The first number of this source.
    func peek(_ range: ClosedRange<Int>) -> Int {
        var copy = self
        return copy.number(range)
    }
}
