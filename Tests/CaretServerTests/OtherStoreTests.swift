import CaretConfig
package import CaretLog
import CaretRooms
import CaretServer
import CaretWire
import Glibc
import TestSupport
import Testing

/// A server uses a store only as a `ServedStore`, so the store need not be the one over SQLite.
@Suite("A server over a store of another kind") struct OtherStoreTests {
    @Test("texts, checks and copies come from the store that the server has")
    func otherStore() async throws {
        var template = Array("/tmp/caret-store-XXXXXX".utf8CString)
        let folder = String(cString: try #require(mkdtemp(&template)))
        defer {
            rmdir(folder + "/backups")
            rmdir(folder)
        }
        var settings = ServerSettings(name: "caret/test", loops: 1, roomQueues: 1)
        settings.limits.pingSeconds = 3_600
        let server = try Server(
            settings, store: MemoryStore(),
            in: folder, authenticator: OneIdentity(identity: .admin), counters: CounterBoard(),
            log: LogWriter(format: .json, level: .error, descriptor: -1))
        let address = try await server.listen(at: Running.anyPort, as: { .address($0) })
        let client = try Client(to: address)
        let asked: [(request: String, answer: String)] = [
            (
                #"{"type":"hello","protocol":1,"client":"client-of-test"}"#,
                #""type":"welcome""#
            ),
            (
                #"{"type":"push","doc":"a","base":0,"seq":1,"text":"live","create":true}"#,
                #""type":"ack""#
            ),
            (#"{"type":"read","id":2,"doc":"a"}"#, #""text":"live""#),
            (#"{"type":"verify","id":3}"#, #""documents":12"#),
            (
                #"{"type":"list_nodes","id":5}"#,
                #"{"name":"other","address":"127.0.0.1:1","version":"caret/1","since":2,"silent_ms":5,"connections":3,"documents":4}"#
            ),
            (#"{"type":"backup","id":4}"#, #""code":"storage_full""#),
        ]
        for (request, answer) in asked {
            let line = try await onOwnThread {
                try client.send(request + "\n")
                return try client.receiveLine()
            }
            #expect(line.contains(answer))
        }
        await server.stop(within: .seconds(1))
    }
}

extension MemoryStore: ServedStore {
    package var generation: UInt64 { 1 }

    package var now: Int64 { 1_700_000_000_000 }

    package var bus: (any NodeBus)? { nil }

    package func otherNodes() async -> Result<[NodeEntry], StoreRefusal> {
        let report = NodeReport(
            address: "127.0.0.1:1", version: "caret/1", started: 2,
            load: NodeLoad(connections: 3, documents: 4))
        return .success([NodeEntry(name: "other", report: report, silence: 5)])
    }

    package func check(
        _ document: DocumentID?, progress: @escaping @Sendable (CheckProgress) -> Void
    ) async throws(MaintenanceFault) -> CheckReport {
        var report = CheckReport()
        report.documents = 12
        return report
    }

    package func copy(
        to path: String, at time: Int64, progress: @escaping @Sendable (_ copied: Int, _ all: Int) -> Void
    ) async throws(MaintenanceFault) -> CheckReport {
        throw .storage(.full, .errno(ENOSPC))
    }
}

extension Client {
    fileprivate func receiveLine() throws -> String {
        var line = ""
        while !line.hasSuffix("\n") { line += try receive(text: 1) }
        return line
    }
}
