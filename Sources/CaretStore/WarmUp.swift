import CaretCore
import CaretLog

extension SQLiteStore {
    /// A longer text would take long to read, and warm up no more.
    private static let mostText = 64 << 10

    /// Finds and reads a short document as a client would. The first such read in a process takes some
    /// milliseconds longer, to load code and to prepare statements. So a server does it before clients
    /// connect.
    package func warmUp() async {
        let page = await withCheckedContinuation { done in
            list(prefix: ByteString(""), after: nil, limit: 16) { done.resume(returning: $0) }
        }
        // A store that cannot be read reports that, and answers the first client with an error.
        guard case .success(let listing) = page,
            let short = listing.entries.first(where: { $0.length.utf8 <= SQLiteStore.mostText })
        else { return }
        await withCheckedContinuation { done in find(short.name) { _ in done.resume() } }
        await withCheckedContinuation { done in
            text(of: short.id, at: nil) { _ in done.resume() }
        }
    }
}
