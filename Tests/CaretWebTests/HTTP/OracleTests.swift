import CaretWeb
import Foundation
import TestSupport
import Testing

/// If this server and a proxy in front of it read a request differently, a client can hide a second request
/// in the first. So other servers must read each request that this server accepts in the same way, or refuse
/// it.
@Suite("Other servers read the same requests in the same way") struct OracleTests {
    @Test(
        "h11 and Node read each accepted request in the same way, or refuse it",
        arguments: [
            ["/usr/bin/python3", "read-with-h11.py"], ["/usr/bin/env", "node", "read-with-node.mjs"],
        ])
    func oracles(command: [String]) throws {
        let accepted = try accepted(of: Seeds.share(of: 100_000, everyCommit: 10_000))
        #expect(accepted.count > 1_000)
        let readings = try readings(of: accepted.map(\.bytes), by: command)
        try #require(readings.count == accepted.count)
        var refused = 0
        for (request, reading) in zip(accepted, readings) {
            if reading == "refused" {
                refused += 1
            } else {
                #expect(
                    reading == request.reading,
                    "\(String(decoding: request.bytes, as: UTF8.self).debugDescription)")
            }
        }
        // If the other server refused most requests, the comparison would show little.
        #expect(refused * 4 < accepted.count, "\(refused) of \(accepted.count) were refused")
    }

    private struct Accepted {
        let bytes: [UInt8]
        /// What this server read, in the form in which the other servers' programs print it.
        let reading: String
    }

    private func accepted(of count: Int) throws -> [Accepted] {
        let heads = try HTTPFixture.all(in: "heads.txt").map(\.bytes).filter { $0.count < 500 }
        let bodies = try HTTPFixture.all(in: "bodies.txt").map(\.bytes).filter { $0.count < 500 }
        var random = Seeded(1)
        return (0..<count).compactMap { _ in
            var request = random.pick(heads)
            for _ in 0..<random.number(0...2) { change(&request, &random) }
            var body = random.pick(bodies)
            if random.chance(30) { change(&body, &random) }
            return accepted(request + body)
        }
    }

    /// Inserts, removes or replaces some bytes at a random place.
    private func change(_ bytes: inout [UInt8], _ random: inout Seeded) {
        let pieces = [
            "\r", "\n", "\r\n", " ", "\t", "\0", ":", ",", ";", "0", "5", "a", "\u{E9}", "\"", "+", "-", "x",
            "HTTP/1.0",
            "Content-Length: 5\r\n", "Content-Length: 5", "Transfer-Encoding: chunked\r\n", "chunked",
            "Host: b\r\n",
            "Connection: close\r\n", "X: y\r\n",
        ]
        let start = random.number(0...bytes.count)
        let end = min(bytes.count, start + (random.chance(50) ? 0 : random.number(0...3)))
        bytes.replaceSubrange(start..<end, with: random.chance(70) ? Array(random.pick(pieces).utf8) : [])
    }

    private func accepted(_ bytes: [UInt8]) -> Accepted? {
        bytes.withUnsafeBytes { input in
            var (rest, requests, content) = (input, RequestReader(), [UInt8]())
            do throws(RequestFault) {
                guard let head = try requests.next(of: &rest) else { return nil }
                var body = BodyReader(head.body)
                try body.read(&rest) { content += $0 }
                if !body.isAtEnd { return nil }
                // h11 writes the coding of a body in lower-case letters, so this output does the same.
                let fields = head.fields.map { field in
                    let isCoding = field.name == "transfer-encoding"
                    return "\(field.name)=\(hexadecimal(isCoding ? Array("chunked".utf8) : field.value))"
                }
                let words = [head.method, head.target, head.version == .http11 ? "1.1" : "1.0"] + fields
                return Accepted(
                    bytes: Array(input.dropLast(rest.count)),
                    reading: (words + ["body=\(hexadecimal(content))"]).joined(separator: " "))
            } catch { return nil }
        }
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private func readings(of requests: [[UInt8]], by command: [String]) throws -> [Substring] {
        let lines = requests.map { hexadecimal($0) + "\n" }.joined()
        return try ChildProgram.lines(of: command, reading: lines, folder: HTTPFixture.folder.path)
    }
}
