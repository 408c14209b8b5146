import TestSupport
import Testing

@Suite("Reads beside writes over HTTP", .onOwnThread) struct ReadRaceTests {
    private static let writers = 3
    private static let readers = 6

    /// The test itself is one thread, but requests of all connections are under way at once.
    @Test("a read is never older than any ack or read before it", arguments: Seeds.first(3))
    func race(seed: UInt64) throws {
        let server = try LiveServer()
        var random = Seeded(seed)
        let clients = try (0..<Self.writers + Self.readers).map { _ in try LineClient(server) }
        for document in ["a", "b"] {
            #expect(try clients[0].fetch("PUT /docs/\(document)", "If-None-Match: *").status == 201)
        }
        /// The highest revision of each document that a response has named.
        var known = ["a": 0, "b": 0]
        /// For each connection with a request under way: its document, and the revision known when it was sent.
        var waiting: [(document: String, least: Int)?] = clients.map { _ in nil }
        for _ in 0..<Seeds.slowed(Seeds.share(of: 40_000, everyCommit: 4_000)) {
            let index = random.number(0...clients.count - 1)
            let isWriter = index < Self.writers
            if let (document, least) = waiting[index] {
                let revision = try revision(of: clients[index].response())
                if !isWriter { #expect(revision >= least, "\(Seeds.replay(seed, of: "ReadRaceTests"))") }
                known[document] = max(revision, known[document, default: 0])
                waiting[index] = nil
            } else if !isWriter || random.chance(20) {
                let document = random.pick(["a", "b"])
                try clients[index].send(
                    isWriter ? "POST /append/\(document)" : "GET /docs/\(document)", [],
                    body: isWriter ? "x" : "")
                waiting[index] = (document, known[document, default: 0])
            }
        }
        let metrics = try LineClient(server).fetch("GET /metrics").body
        #expect(metrics.contains(/caret_reads_from_memory_total [1-9]/), "no read was answered from memory")
        #expect(metrics.contains(/caret_reads_from_store_total [1-9]/))
    }

    private func revision(of response: HTTPResponse) throws -> Int {
        let pushed = response.body.firstMatch(of: /"rev":([0-9]+)/).map { String($0.1) }
        let text = response.fields["caret-revision"] ?? pushed
        return try #require(text.flatMap { Int($0) }, "\(response.status): \(response.body)")
    }
}
