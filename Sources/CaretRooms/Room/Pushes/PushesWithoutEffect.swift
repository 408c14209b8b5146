import CaretLog

/// The newest push without effect of each pusher. The store does not remember these pushes, and finding out that one
/// has no effect may take long. Once rebased to nothing, a push stays without effect in every later revision.
struct PushesWithoutEffect: Equatable, Sendable {
    private struct Known: Equatable {
        let seq: Int64
        let digest: Digest
    }

    private var pushes: [Pusher: Known] = [:]

    /// The most pushers that are remembered. Beyond them, all are forgotten, and a repeat is computed again.
    static let most = 1_000

    func contains(_ push: RoomPush) -> Bool {
        pushes[push.pusher] == Known(seq: push.seq, digest: push.digest)
    }

    mutating func add(_ push: RoomPush) {
        if pushes.count >= PushesWithoutEffect.most, pushes[push.pusher] == nil { pushes = [:] }
        pushes[push.pusher] = Known(seq: push.seq, digest: push.digest)
    }
}
