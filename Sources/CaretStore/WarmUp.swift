import CaretCore
import CaretLog

extension SQLiteStore {
    /// A longer text would take long to read, and warm up no more.
    private static let mostText = 64 << 10

    /// Finds and reads a short document as a client would. The first such read in a process takes some
    /// milliseconds longer, to load code and to prepare statements. So a server does it before clients
    /// connect.
    package func warmUp() async {
        // A store that cannot be read reports that, and answers the first client with an error.
        guard
            case .listed(.success(let listing)) = await answer(to: .list(prefix: "", after: nil, limit: 16)),
            let short = listing.entries.first(where: { $0.length.utf8 <= SQLiteStore.mostText })
        else { return }
        _ = await answer(to: .find(short.name))
        _ = await answer(to: .text(short.id, at: nil))
    }
}
