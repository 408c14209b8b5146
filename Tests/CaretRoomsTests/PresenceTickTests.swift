import CaretRooms
import TestSupport
import Testing

@Suite("When a room sends presence") struct PresenceTickTests {
    private var tick = PresenceTick()

    /// Lets presence wait, and decides what happens to it.
    private mutating func decide(at now: Int64) -> PresenceTick.Decision {
        tick.wait()
        return tick.decide(at: now)
    }

    @Test("after a quiet time, presence is sent at once")
    mutating func quiet() {
        #expect(tick.decide(at: 5) == .nothing)
        #expect(decide(at: 5) == .send && !tick.isWaiting)
        tick.sent(at: 5, every: 50)
        #expect(tick.decide(at: 6) == .nothing)
        #expect(decide(at: 60) == .send)
    }

    @Test("presence within the interval waits until its end, and no longer")
    mutating func busy() {
        #expect(decide(at: 5) == .send)
        tick.sent(at: 5, every: 50)
        for now in Int64(5)..<55 { #expect(decide(at: now) == .wait(until: 55) && tick.isWaiting) }
        #expect(decide(at: 55) == .send)
        #expect(tick.decide(at: 55) == .nothing)
    }

    @Test("if presence had no receiver, the next presence does not wait")
    mutating func alone() {
        #expect(decide(at: 5) == .send)
        #expect(decide(at: 5) == .send)
    }

    @Test("with an interval of 0, presence never waits")
    mutating func noInterval() {
        for _ in 0..<3 {
            #expect(decide(at: 5) == .send)
            tick.sent(at: 5, every: 0)
        }
    }

    @Test("under any schedule, presence waits for at most an interval", arguments: 0..<50)
    mutating func random(seed: UInt64) {
        var random = Seeded(seed)
        let interval = Int.random(in: 1...60, using: &random)
        var (now, sentAt, waitsSince) = (Int64(0), Int64?.none, Int64?.none)
        for _ in 0..<2_000 {
            // The caller asks again no later than `wait` says.
            let most = waitsSince == nil ? 100 : max(0, tick.next - now)
            now += Int64.random(in: 0...most, using: &random)
            if Bool.random(using: &random) {
                tick.wait()
                waitsSince = waitsSince ?? now
            }
            switch tick.decide(at: now) {
            case .nothing: #expect(waitsSince == nil)
            case .wait(let time): #expect(waitsSince != nil && time > now && time == tick.next)
            case .send:
                #expect(now - (waitsSince ?? .min / 2) <= Int64(interval))
                #expect(sentAt.map { now - $0 >= Int64(interval) } ?? true)
                waitsSince = nil
                if Bool.random(using: &random) {
                    sentAt = now
                    tick.sent(at: now, every: interval)
                }
            }
        }
    }
}
