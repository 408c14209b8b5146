import CaretRooms

/// The connections of one loop, by what the values call them. Confined to the loop.
final class LoopHost {
    private let loop: Int
    private let loopCount: Int
    private var made: Int64 = 0
    private var shells: [ConnectionID: ConnectionShell] = [:]
    private var emptied: (@Sendable () -> Void)?

    init(_ loop: Int, of loopCount: Int) {
        self.loop = loop
        self.loopCount = loopCount
    }

    /// The next id tells the loop, and is used only once.
    func insert(_ make: (ConnectionID) -> ConnectionShell) -> ConnectionShell {
        made += 1
        let id = ConnectionID(made * Int64(loopCount) + Int64(loop))
        let shell = make(id)
        shells[id] = shell
        return shell
    }

    func remove(_ id: ConnectionID) {
        shells[id] = nil
        if shells.isEmpty { tellEmpty() }
    }

    /// Calls back once no connection is left.
    func whenEmpty(_ completion: @escaping @Sendable () -> Void) {
        emptied = completion
        if shells.isEmpty { tellEmpty() }
    }

    private func tellEmpty() {
        emptied?()
        emptied = nil
    }

    func take(_ jobs: [(ConnectionID, ConnectionJob)]) {
        for (id, job) in jobs { shells[id]?.take(job) }
    }

    /// Tells all who are there.
    func tellAll(_ job: ConnectionJob) {
        for id in shells.keys.sorted() { shells[id]?.take(job) }
    }
}
