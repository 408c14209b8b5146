import CaretRooms
import CaretServer
import Testing

@Suite("Jobs for the connections of one loop")
struct ConnectionJobsTests {
    @Test("a line for several sessions is stored once in each unit of offsets")
    func sharedLines() {
        let session = SessionID(ConnectionID(1), number: 1)
        var jobs = ConnectionJobs()
        let earlier: [[UInt8]] = [[4], [5], [6], [7], [8], [9]]
        let versions = [1, 2, 3].map { (unit: UInt8) in [UInt8](repeating: unit, count: 40) }
        let between: [UInt8] = [10]
        for line in earlier + versions + [between] + versions {
            jobs.send(RoomOutput(.stream, line), to: session)
        }
        #expect(jobs.lines == earlier + versions + [between])
    }
}
