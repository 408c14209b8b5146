package import CaretClient
import Dispatch

/// Runs a syncer: waits for the server's news and for changes of files, and starts its passes.
package struct SyncRun {
    private let client: LiveClient
    private let syncer: Syncer
    private let names: SyncNames
    private let tell: @Sendable (SyncStatus) -> Void
    private let bell = Bell()

    /// A program that writes one file usually writes more.
    private static let breath = Duration.milliseconds(20)

    package init(
        _ client: LiveClient, _ syncer: Syncer, _ names: SyncNames,
        tell: @escaping @Sendable (SyncStatus) -> Void
    ) {
        (self.client, self.syncer, self.names, self.tell) = (client, syncer, names, tell)
    }

    /// Runs until it fails for good. With `once`, runs until nothing is left to do, and returns false if
    /// something was held back.
    /// back.
    package func run(once: Bool) async throws -> Bool {
        let watch = try FolderWatch(ring: bell)
        let listening = [Task { await listen() }, Task { await tellOfConnection() }]
        defer { for task in listening { task.cancel() } }
        while !(try await syncer.knowsDocuments) { await bell.wait(atMost: .seconds(1)) }
        if let store = await syncer.state.store { tell(.begins(try await syncer.count(), store: store)) }
        while true {
            await syncer.changed(watch.takeChanges())
            guard let wait = try await syncer.pass(watch, once: once) else { return await syncer.isWhole }
            await bell.wait(atMost: .milliseconds(wait))
            try await Task.sleep(for: SyncRun.breath)
        }
    }

    /// Reports when the server cannot be reached, and when it can again.
    private func tellOfConnection() async {
        var isLost = false
        for await status in client.connectionUpdates {
            switch status.state {
            case .waiting where !isLost:
                isLost = true
                tell(.lost(status.lastError.map { "\($0)" } ?? "the connection ended"))
            case .connected where isLost:
                isLost = false
                tell(.regained)
            case .waiting, .connected, .connecting, .ended: break
            }
        }
    }

    private func listen() async {
        do {
            for try await next in client.followDocuments(prefix: names.prefix) {
                try await syncer.hear(next)
                bell.ring()
            }
            await syncer.newsEnded(ConnectionFault.closed)
        } catch {
            await syncer.newsEnded(error)
        }
        bell.ring()
    }
}
