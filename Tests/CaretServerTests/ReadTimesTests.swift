import CaretRooms
import CaretServer
import Testing

@Suite("Read times of requests")
struct ReadTimesTests {
    private let times = ReadTimes()
    private let ann = SessionID(ConnectionID(1), number: 1)
    private let other = SessionID(ConnectionID(1), number: 2)
    private let bob = SessionID(ConnectionID(2), number: 1)

    private func push(_ seq: Int64) -> MeasuredRequest { .push(ann, seq: seq) }

    private func moment(_ nanoseconds: UInt64) -> Moment { Moment(nanoseconds: nanoseconds) }

    @Test("the time of a request is taken once, by its session and its seq")
    func taken() {
        times.add(push(1), at: moment(10))
        times.add(push(2), at: moment(20))
        times.add(.opening(ann), at: moment(5))
        times.add(.push(bob, seq: 1), at: moment(30))
        #expect(times.take(push(1)) == moment(10))
        #expect(times.take(push(1)) == nil)
        #expect(times.take(.push(bob, seq: 1)) == moment(30))
        #expect(times.take(.opening(ann)) == moment(5))
        #expect(times.take(push(2)) == moment(20))
    }

    @Test("a request sent again after a refusal counts from the second time")
    func sentAgain() {
        times.add(push(1), at: moment(10))
        times.add(push(1), at: moment(90))
        #expect(times.take(push(1)) == moment(90))
        #expect(times.take(push(1)) == nil)
    }

    @Test("the newest 64 requests of a connection are kept")
    func bound() {
        for seq in 1...64 { times.add(push(Int64(seq)), at: moment(UInt64(seq))) }
        times.add(.push(other, seq: 1), at: moment(65))
        #expect(times.take(push(1)) == nil)
        #expect(times.take(push(2)) == moment(2))
        #expect(times.take(.push(other, seq: 1)) == moment(65))
    }

    @Test("requests are forgotten with their session or connection")
    func forgotten() {
        for session in [ann, other, bob] { times.add(.opening(session), at: moment(1)) }
        times.forget(ann)
        #expect(times.take(.opening(ann)) == nil)
        #expect(times.take(.opening(other)) == moment(1))
        times.add(.opening(other), at: moment(2))
        times.forget(ConnectionID(1))
        #expect(times.take(.opening(other)) == nil)
        #expect(times.take(.opening(bob)) == moment(1))
    }
}
