import CaretServer
import Dispatch
import Glibc
import Testing

@Suite("The clock of the server") struct ServerClockTests {
    /// The clock of a server that started at this wall time, when its machine had been running for two
    /// seconds.
    private func clock(_ wall: Int64) -> ServerClock {
        ServerClock(wall: { wall }, steady: { Moment(nanoseconds: 2_000_000_000) })
    }

    @Test("the steady clock is the one of the system")
    func system() {
        @Sendable func wall() -> Int64 {
            var time = timeval()
            gettimeofday(&time, nil)
            return Int64(time.tv_sec) * 1_000 + Int64(time.tv_usec) / 1_000
        }
        let before = (wall: wall(), steady: DispatchTime.now().uptimeNanoseconds)
        let (start, moment) = (ServerClock(wall: { wall() }).start, Moment.now.nanoseconds)
        #expect(before.wall <= start && start <= wall())
        #expect(before.steady <= moment && moment <= DispatchTime.now().uptimeNanoseconds)
    }

    @Test("server time starts at the wall clock, and follows the steady clock")
    func goesOn() {
        let clock = clock(1_790_000_000_000)
        #expect(clock.start == 1_790_000_000_000 && clock.now == clock.start)
        #expect(clock.time(at: Moment(nanoseconds: 3_500_000_000)) == 1_790_000_001_500)
        #expect(clock.moment(of: 1_790_000_001_500) == Moment(nanoseconds: 3_500_000_000))
        // A time before the machine started becomes the machine's start.
        #expect(clock.moment(of: 1_000) == Moment(nanoseconds: 0))
    }

    @Test(
        "even a wrong wall clock gives times that can be stored and sent",
        arguments: [.min, -1, 0, 11_234_567_890_000, 1 << 53, .max] as [Int64])
    func anyTime(wall: Int64) {
        let clock = clock(wall)
        #expect((0...1 << 48).contains(clock.now))
        #expect(wall < 0 || wall > 1 << 48 || clock.now == wall)
        let soon = clock.moment(of: clock.now + 1_500)
        #expect(soon == Moment(nanoseconds: 3_500_000_000))
        for far in [Int64.min, 0, .max] { _ = clock.moment(of: far) }
    }
}
