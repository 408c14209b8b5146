import CaretRooms
import CaretServer
import Testing

@Suite("The times at which requests were read")
struct ReadTimesTests {
    private let times = ReadTimes()
    private let ann = SessionID(ConnectionID(1), number: 1)
    private let other = SessionID(ConnectionID(1), number: 2)
    private let bob = SessionID(ConnectionID(2), number: 1)

    private func push(_ seq: Int64) -> MeasuredRequest { .push(ann, seq: seq) }

    private func moment(_ nanoseconds: UInt64) -> Moment { Moment(nanoseconds: nanoseconds) }

    @Test("`remove` returns the time of a request once, by its session and seq")
    func taken() {
        times.add(push(1), at: moment(10))
        times.add(push(2), at: moment(20))
        times.add(.opening(ann), at: moment(5))
        times.add(.push(bob, seq: 1), at: moment(30))
        #expect(times.remove(push(1)) == moment(10))
        #expect(times.remove(push(1)) == nil)
        #expect(times.remove(.push(bob, seq: 1)) == moment(30))
        #expect(times.remove(.opening(ann)) == moment(5))
        #expect(times.remove(push(2)) == moment(20))
    }

    @Test("a request that is sent again has the time of the second sending")
    func sentAgain() {
        times.add(push(1), at: moment(10))
        times.add(push(1), at: moment(90))
        #expect(times.remove(push(1)) == moment(90))
        #expect(times.remove(push(1)) == nil)
    }

    @Test("only the newest 64 requests of a connection are kept")
    func bound() {
        for seq in 1...64 { times.add(push(Int64(seq)), at: moment(UInt64(seq))) }
        times.add(.push(other, seq: 1), at: moment(65))
        #expect(times.remove(push(1)) == nil)
        #expect(times.remove(push(2)) == moment(2))
        #expect(times.remove(.push(other, seq: 1)) == moment(65))
    }

    @Test("the requests of an ended session or connection are removed")
    func forgotten() {
        for session in [ann, other, bob] { times.add(.opening(session), at: moment(1)) }
        times.forget(ann)
        #expect(times.remove(.opening(ann)) == nil)
        #expect(times.remove(.opening(other)) == moment(1))
        times.add(.opening(other), at: moment(2))
        times.forget(ConnectionID(1))
        #expect(times.remove(.opening(other)) == nil)
        #expect(times.remove(.opening(bob)) == moment(1))
    }
}
