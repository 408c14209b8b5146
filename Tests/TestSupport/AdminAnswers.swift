import CaretLog
package import CaretRooms
import CaretWire

extension AdminCall {
    /// What the servers of tests answer.
    package var sampleAnswer: AdminCallAnswer {
        switch self {
        case .counters:
            .counted(
                CounterValues(
                    since: 1, counters: [CounterValues.Counter(name: "pushes", value: 2)], latencies: []))
        case .nodes(let load):
            .nodes(
                .success(
                    ServerList([
                        ServerSummary(
                            name: "model", address: nil, version: "caret/1", since: 1, silent: 0,
                            connections: load.connections, documents: load.documents, isAnswering: true)
                    ])))
        case .verify: .verified(.success(Verified(documents: 3, revisions: 4, findings: [])))
        case .backUp: .backedUp(.success(BackedUp(file: "caret.sqlite", bytes: 5, documents: 3)))
        }
    }
}
