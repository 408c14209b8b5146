import Foundation
import Glibc
import TestSupport
import Testing

@Suite("A server short of resources", .onOwnThread) struct ScarcityTests {
    /// A command prefix that limits the command after it to this number of descriptors. The command inherits
    /// none of the descriptors that Foundation has opened, without close-on-exec, for other tests.
    private static func limited(to descriptors: Int) -> [String] {
        let script = """
            for name in /proc/self/fd/*; do name=${name##*/}; ((name < 3)) || eval "exec $name>&-"; done
            ulimit -n \(descriptors); exec "$@"
            """
        return ["bash", "-c", script, "bash"]
    }

    @Test(
        "without free descriptors, a server refuses only new clients",
        arguments: Transport.lines(and: .webSocket))
    func descriptors(transport: Transport) throws {
        let server = try LiveServer(
            ["--upkeep-every": "1 s"], through: Self.limited(to: 256), over: transport)
        let group = EditorGroup(20, documents: 4, over: [transport])
        try group.connect(to: server)
        try group.work { $0.acks >= 40 }
        var (guests, refused) = ([LineClient](), 0)
        // The server opens files for a moment, and a later guest can get their descriptors. So the loop goes
        // on until 100 guests in a row are refused.
        while refused < 100 {
            if let guest = try guest(number: guests.count + refused, at: server) {
                guests.append(guest)
                refused = 0
            } else {
                refused += 1
            }
        }
        #expect(guests.count > 100 && guests.count < 192)
        // The server must leave some descriptors free. System libraries sometimes need one, and end the
        // process if they get none.
        let inUse = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(server.program.process)/fd")
        #expect(inUse.count < 200)
        let enough = group.acks + 200
        try group.work { $0.acks >= enough }
        #expect(group.connectedCount == 20)
        // A guest that connected before the descriptors ran out is still served.
        try guests[0].send(#"{"type":"read","doc":"doc-0"}"#)
        try guests[0].expect(#"{"type":"text","doc":"doc-0",…"#)

        guests = []
        #expect(try (0..<10_000).contains { _ in try guest(number: 400, at: server) != nil })
        try group.waitForAcks()
        #expect(try HistoryComparison.onAll(of: group, at: server) == group.acks)
    }

    @Test("a server with few descriptors logs its limit and answers every client")
    func fewDescriptors() throws {
        let scratch = try Scratch.inMemory()
        let command = Self.limited(to: 64) + LiveServer.command([:], in: scratch)
        let program = try Program(command)
        var (port, allowed): (UInt16?, Int?) = (nil, nil)
        while let line = try program.errors.next() {
            if let (_, address) = line.parts(around: "event=listening transport=tcp address=") {
                port = address.split(separator: ":").last.flatMap { UInt16($0) }
            }
            if let (_, count) = line.parts(around: " warning event=few_descriptors count=") {
                allowed = Int(count)
            }
            if line.hasSuffix(" event=ready") { break }
        }
        let most = try #require(allowed)
        try #require(most > 4 && most < 60, "\(most) connections are allowed")
        let address = Address.loopback(port: try #require(port))
        // Leaves four connections free, because the server itself opens and closes some descriptors.
        let guests = try (0..<most - 4).map { _ in LineReader(try address.connected()) }
        for guest in guests {
            let hello = Array("{\"type\":\"hello\",\"protocol\":1,\"client\":\"the-guest\"}\n".utf8)
            #expect(send(guest.descriptor, hello, hello.count, Int32(MSG_NOSIGNAL)) == hello.count)
            #expect(try guest.next()?.hasPrefix(#"{"type":"welcome""#) == true)
        }
        // The server accepts a few more clients, and waits for their hello.
        let late = try (0..<16).map { _ in LineReader(try address.connected()) }
        var waiting = late.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        let end = ContinuousClock.now + .seconds(5)
        while waiting.count(where: { $0.revents != 0 }) < 3, ContinuousClock.now < end {
            _ = poll(&waiting, nfds_t(waiting.count), 1_000)
        }
        // The clients that the server does not accept receive the reason for the refusal.
        let refused = zip(late, waiting).filter { $0.1.revents != 0 }.map(\.0)
        #expect(refused.count >= 3)
        for guest in refused {
            #expect(try guest.next()?.hasPrefix(#"{"type":"error","code":"overloaded","message":"#) == true)
            #expect(try guest.next() == nil)
        }
        program.kill(SIGTERM)
        let exit = try program.waitForExit()
        #expect(exit.status == 0)
        #expect(exit.errors.count { $0.hasSuffix(" event=connection_refused") } >= refused.count)
    }

    @Test(
        "a server started on a full disk serves reads, and later also pushes",
        arguments: Transport.lines(and: .secureWebSocket))
    func fullAtStart(transport: Transport) throws {
        guard let small = try SmallDisk() else {
            print("SKIPPED: no small file system can be mounted here")
            return
        }
        // A killed server leaves a write-ahead log. The push is only in this log, and not in the database
        // yet.
        let first = try LiveServer(over: transport)
        let ann = try first.connect()
        try ann.greet(as: "ann-client")
        try ann.send(#"{"type":"push","doc":"notes","base":0,"seq":1,"text":"one","create":true}"#)
        try ann.expect(#"{"type":"ack","doc":"notes","seq":1,…"rev":1,…"#)
        try first.kill()
        let server = try LiveServer(
            ["--data": small.dataPath], in: small.scratch, through: small.filled(with: first.dataPath),
            over: transport)
        let client = try server.connect()
        try client.greet(as: "ann-client")
        try client.send(#"{"type":"read","doc":"notes"}"#)
        try client.expect(#"{"type":"text","doc":"notes",…,"text":"one",…"#)
        try client.send(#"{"type":"push","doc":"other","base":0,"seq":1,"text":"two","create":true}"#)
        try client.expect(#"{"type":"error","doc":"other","seq":1,"code":"storage_full",…"#)
        try small.free(of: server)
        try client.send(#"{"type":"push","doc":"other","base":0,"seq":1,"text":"two","create":true}"#)
        try client.expect(#"{"type":"ack","doc":"other","seq":1,…"rev":1,…"#)
        try server.waitForLog("event=disk_freed")
        try client.endOutput()
        #expect(try server.stop().status == 0)
    }

    /// A client that the server has accepted; nil if the server refuses it.
    private func guest(number: Int, at server: LiveServer) throws -> LineClient? {
        do {
            let guest = try LineClient(server)
            try guest.send(#"{"type":"hello","protocol":1,"client":"the-guest-\#(number)"}"#)
            return try guest.next()?.hasPrefix(#"{"type":"welcome""#) == true ? guest : nil
        } catch let failure as SystemFailure where [ECONNRESET, EPIPE].contains(failure.code) {
            return nil
        }
    }

    @Test(
        "a server refuses pushes, but not reads, while its disk is full",
        arguments: Transport.lines(and: .webSocket))
    func fullDisk(transport: Transport) throws {
        guard let small = try SmallDisk() else {
            print("SKIPPED: no small file system can be mounted here")
            return
        }
        let server = try LiveServer(
            ["--data": small.dataPath], in: small.scratch, through: small.wrapper, over: transport)
        let client = try server.connect()
        try client.greet(as: "ann-client")
        var (random, texts) = (Seeded(1), [String]())
        let refused = #"{"type":"error","doc":"…","seq":1,"code":"storage_full",…"#
        var answer = ""
        while Pattern(refused).matches(answer) == nil {
            texts.append(noise(&random))
            try client.send(push(texts))
            answer = try client.next() ?? "the end"
            try #require(answer.hasPrefix(#"{"type":"ack","#) || answer.contains("storage_full"), "\(answer)")
            try #require(texts.count < 1_000)
        }
        try server.waitForLog("event=disk_full")
        try client.send(push(texts))
        try client.expect(refused)
        try fill(client)
        for number in texts.indices.dropLast() {
            try client.send(#"{"type":"read","doc":"doc-\#(number)"}"#)
            let text = try client.next() ?? "the end"
            #expect(text.contains(texts[number]), "\(text.prefix(200))")
        }

        try small.free(of: server)
        try client.send(push(texts))
        try client.expect(#"{"type":"ack","doc":"…","seq":1,…"rev":1,…"#)
        try server.waitForLog("event=disk_freed")
        try client.endOutput()
        #expect(try server.stop().status == 0)
        print("full disk: refused after \(texts.count - 1) documents of 50 kB, and then saved")
    }

    /// Creates empty documents, for which the disk may still have space, until the server refuses one.
    private func fill(_ client: any MessageClient) throws {
        for number in 0..<100 {
            try client.send(#"{"type":"open","doc":"new-\#(number)","create":true}"#)
            let answer = try client.next() ?? "the end"
            if Pattern(#"{"type":"error","doc":"…","code":"storage_full",…"#).matches(answer) != nil {
                return
            }
            try #require(answer.hasPrefix(#"{"type":"opened","#), "\(answer)")
        }
        Issue.record("the full disk had space for 100 documents")
    }

    /// A text that compresses badly.
    private func noise(_ random: inout Seeded) -> String {
        String(decoding: (0..<50_000).map { _ in UInt8(random.number(0x23...0x5B)) }, as: UTF8.self)
    }

    /// A push that creates a new document with the last of these texts.
    private func push(_ texts: [String]) -> String {
        let (number, text) = (texts.count - 1, texts[texts.count - 1])
        return #"{"type":"push","doc":"doc-\#(number)","base":0,"seq":1,"text":"\#(text)","create":true}"#
    }
}

/// A small file system in memory. One process sees it, and it is gone when that process ends.
private struct SmallDisk {
    /// A command prefix that allows mounting file systems; nil if this user cannot mount file systems.
    private static let way: [String]? = [["unshare", "-Urm"], ["unshare", "-m"]].first { way in
        let script = "mount -t tmpfs -o size=64k tmpfs /tmp"
        // An error means that the `unshare` program is missing.
        return (try? Program(way + ["sh", "-c", script]).waitForExit())?.status == 0
    }

    let scratch: Scratch
    let wrapper: [String]

    private var path: String { scratch.path + "/small" }
    var dataPath: String { path + "/data" }

    /// A ballast file fills half of the file system. Nil if this user cannot mount file systems.
    init?() throws {
        guard let way = Self.way else { return nil }
        let script = """
            set -e
            mkdir -p "$1"
            mount -t tmpfs -o size=8m tmpfs "$1"
            head -c 4m /dev/zero >"$1/ballast"
            shift
            exec "$@"
            """
        scratch = try Scratch.inMemory()
        wrapper = way + ["sh", "-c", script, "sh", scratch.path + "/small"]
    }

    /// A wrapper that copies a store's files to the small disk and fills the rest of the disk. So the disk is
    /// full when the server starts.
    func filled(with data: String) -> [String] {
        let script = """
            set -e
            mkdir -p "$1"
            mount -t tmpfs -o size=8m tmpfs "$1"
            mkdir -m 700 "$1/data"
            cp "$2/caret.sqlite" "$2/caret.sqlite-wal" "$2/caret.commits" "$2/caret.lock" "$1/data"
            head -c 16m /dev/zero >"$1/ballast" || true
            shift 2
            exec "$@"
            """
        return Array(wrapper.prefix { $0 != "sh" }) + [
            "sh", "-c", script, "sh", scratch.path + "/small", data,
        ]
    }

    /// Removes the ballast from the file system that the server sees.
    func free(of server: LiveServer) throws {
        try FileManager.default.removeItem(atPath: "/proc/\(server.program.process)/root\(path)/ballast")
    }
}
