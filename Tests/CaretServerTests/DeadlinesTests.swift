import CaretServer
import TestSupport
import Testing

@Suite("Deadlines of the connections of a loop")
struct DeadlinesTests {
    private func at(_ number: Int) -> Moment { Moment(nanoseconds: UInt64(number)) }

    @Test("`popDue` returns each due slot once, in the order of the deadlines")
    func order() {
        var deadlines = Deadlines()
        for (slot, moment) in [30, 10, 20, 10].enumerated() { deadlines[slot] = at(moment) }
        #expect(deadlines.next == at(10))
        var due: [Int] = []
        while let slot = deadlines.popDue(by: at(25)) { due.append(slot) }
        #expect(Set(due[..<2]) == [1, 3] && due[2...] == [2])
        #expect(deadlines[0] == at(30) && deadlines[1] == nil)
        #expect(deadlines.next == at(30))
    }

    @Test("a deadline that was moved to a later time is not due before that time")
    func later() {
        var deadlines = Deadlines()
        deadlines[0] = at(10)
        deadlines[0] = at(50)
        #expect(deadlines.popDue(by: at(49)) == nil)
        #expect(deadlines.next == at(50))
        #expect(deadlines.popDue(by: at(50)) == 0)
        #expect(deadlines.next == nil)
    }

    @Test("if a deadline is moved earlier or removed, the last setting counts")
    func earlierAndAway() {
        var deadlines = Deadlines()
        deadlines[0] = at(50)
        deadlines[0] = at(10)
        deadlines[1] = at(20)
        deadlines[1] = nil
        #expect(deadlines.popDue(by: at(30)) == 0)
        deadlines[1] = at(40)
        #expect(deadlines.popDue(by: at(39)) == nil)
        #expect(deadlines.popDue(by: at(40)) == 1)
        #expect(deadlines.popDue(by: at(1_000)) == nil)
    }

    @Test("a heap of random deadlines behaves like a simple list")
    func followsModel() {
        for seed in Seeds.first(200) where !Self.follows(seed) {
            Issue.record("\(Seeds.replay(seed, of: "followsModel"))")
        }
    }

    private static func follows(_ seed: UInt64) -> Bool {
        var random = Seeded(seed)
        var deadlines = Deadlines()
        var model = [Moment?](repeating: nil, count: 20)
        var now = 0
        for _ in 0..<200 {
            let slot = random.number(0...19)
            let moment = random.chance(20) ? nil : Moment(nanoseconds: UInt64(now + random.number(0...49)))
            deadlines[slot] = moment
            model[slot] = moment
            now += random.number(0...3)
            let time = Moment(nanoseconds: UInt64(now))
            var due: [Int] = []
            while let slot = deadlines.popDue(by: time) { due.append(slot) }
            if due.sorted() != model.indices.filter({ model[$0].map { $0 <= time } ?? false }) {
                return false
            }
            for slot in due { model[slot] = nil }
            // `next` may be earlier than the earliest deadline, but never later.
            if let earliest = model.compactMap(\.self).min() {
                guard let next = deadlines.next, next <= earliest else { return false }
            }
        }
        return true
    }
}
