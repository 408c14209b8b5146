import CaretLog
import CaretStore

// Calls that benchmarks await. If a call fails, the benchmark ends.
extension SQLiteStore {
    static func opened(
        _ folder: String, onEvent: @escaping @Sendable (StoreEvent) -> Void = { _ in }
    ) -> SQLiteStore {
        mustSucceed { try SQLiteStore(folder: folder, onEvent: onEvent) }
    }

    /// Makes a document.
    func createDocument(_ name: String) async -> DocumentEntry {
        let name = mustSucceed { try DocumentName(name) }
        let answer = await answer(to: .create(name, nil, at: 0))
        guard case .created(.created(let entry)) = answer else {
            preconditionFailure("a benchmark could not create its document: \(answer)")
        }
        return entry
    }

    /// Makes many documents, in as few groups as possible.
    func createDocuments(_ count: Int, name: @escaping @Sendable (Int) -> String) async -> [DocumentEntry] {
        await withTaskGroup { group in
            for number in 0..<count { group.addTask { (number, await self.createDocument(name(number))) } }
            var entries: [(Int, DocumentEntry)] = []
            for await entry in group { entries.append(entry) }
            return entries.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}
