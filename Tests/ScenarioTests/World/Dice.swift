import TestSupport

/// Random numbers that depend only on the seed, the purpose, the subject and the time. They do not
/// depend on earlier rolls. So removing a step from a plan does not change the rolls of the other steps.
struct Dice {
    private let seed: UInt64

    init(_ seed: UInt64) { self.seed = seed }

    /// What a roll decides.
    enum Purpose: UInt64 {
        case queue, pause, link, piece, store, answer, outcome, loss, reconnect, close
        // Explicit numbers, so that old seeds give the same rolls.
        case buffer = 11
        case interruption = 13
        case transport = 14
        case body = 15
        case node = 16
        case hint = 17
    }

    /// A random source for one purpose, one subject and one time.
    func roll(_ purpose: Purpose, _ subject: Int, at time: Int64) -> Seeded {
        var mixed = Seeded(seed &* 0x9E37_79B9_7F4A_7C15 ^ purpose.rawValue << 56 ^ UInt64(bitPattern: time))
        return Seeded(mixed.next() ^ UInt64(bitPattern: Int64(subject)) &* 0xD6E8_FEB8_6659_FD93)
    }

    /// A delay in microseconds: mostly short, sometimes as long as on a busy machine.
    func delay(_ purpose: Purpose, _ subject: Int, at time: Int64) -> Int64 {
        var random = roll(purpose, subject, at: time)
        switch random.number(0...99) {
        case ..<70: return Int64(random.number(1...90))
        case ..<94: return Int64(random.number(90...1_500))
        case ..<99: return Int64(random.number(1_500...12_000))
        default: return Int64(random.number(12_000...80_000))
        }
    }
}

extension Seeded {
    /// The next number of this source, without advancing the source.
    func peek(_ range: ClosedRange<Int>) -> Int {
        var copy = self
        return copy.number(range)
    }
}
