package import CaretClient
import Dispatch

/// Runs a syncer: waits for events of the server and for changes of files, and then starts a pass.
package struct SyncRun {
    private let client: LiveClient
    private let syncer: Syncer
    private let names: SyncNames
    private let onStatus: @Sendable (SyncStatus) -> Void
    private let bell = Bell()

    /// The pause before the next pass, because a program that writes one file usually writes more.
    private static let passDelay = Duration.milliseconds(20)

    package init(
        _ client: LiveClient, _ syncer: Syncer, _ names: SyncNames,
        onStatus: @escaping @Sendable (SyncStatus) -> Void
    ) {
        (self.client, self.syncer, self.names, self.onStatus) = (client, syncer, names, onStatus)
    }

    /// Runs until an error ends the sync. With `once`, runs until nothing is left to do, and returns false if
    /// some files could not be synced.
    package func run(once: Bool) async throws -> Bool {
        let watch = try FolderWatch(ring: bell)
        let listening = [Task { await listen() }, Task { await reportConnection() }]
        defer { for task in listening { task.cancel() } }
        while !(try await syncer.hasAllDocuments) { await bell.wait(atMost: .seconds(1)) }
        if let store = await syncer.state.store { onStatus(.begins(try await syncer.count(), store: store)) }
        while true {
            await syncer.changed(watch.takeChanges())
            guard let wait = try await syncer.pass(watch, once: once) else {
                return await syncer.isFullySynced
            }
            await bell.wait(atMost: .milliseconds(wait))
            try await Task.sleep(for: SyncRun.passDelay)
        }
    }

    /// Reports when the server cannot be reached, and when it can be reached again.
    private func reportConnection() async {
        var isLost = false
        for await status in client.connectionUpdates {
            switch status.state {
            case .waiting where !isLost:
                isLost = true
                onStatus(.lost(status.lastError.map { "\($0)" } ?? "the connection ended"))
            case .connected where isLost:
                isLost = false
                onStatus(.regained(client.address))
            case .waiting, .connected, .connecting, .ended: break
            }
        }
    }

    private func listen() async {
        do {
            for try await next in client.followDocuments(prefix: names.prefix) {
                try await syncer.apply(next)
                bell.ring()
            }
            await syncer.newsEnded(ConnectionFault.closed)
        } catch {
            await syncer.newsEnded(error)
        }
        bell.ring()
    }
}
