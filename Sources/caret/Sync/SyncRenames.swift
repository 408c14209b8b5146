import CaretWire

/// Finds out which documents have other names than when their files were synced last.
enum SyncRenames {
    struct Rename: Equatable, Sendable {
        let path: WireString
        let new: WireString
    }

    /// An epoch is that of one document, and goes with it when it is renamed.
    static func elsewhere(
        _ records: [WireString: SyncRecord], _ documents: [WireString: SyncNews.Stand], _ names: SyncNames
    ) -> [Rename] {
        var lost: [WireString: WireString] = [:]
        for (path, record) in records {
            guard let head = record.head, let name = names.document(of: path) else { continue }
            if documents[name] == nil { lost[WireString(head.epoch)] = path }
        }
        if lost.isEmpty { return [] }
        return documents.compactMap { name, stand in
            guard let path = lost[WireString(stand.epoch)], let new = names.path(of: name),
                records[new] == nil
            else {
                return nil
            }
            return Rename(path: path, new: new)
        }.sorted { $0.path < $1.path }
    }

    /// The file that is gone and whose text was this one, if there is just one.
    static func origin(
        of text: String, among records: [WireString: SyncRecord], isGone: (WireString) -> Bool
    ) -> WireString? {
        if text.utf8.isEmpty { return nil }
        let found = records.filter { path, record in
            record.push == nil && record.head != nil && record.seen.isSame(as: text) && isGone(path)
        }
        return found.count == 1 ? found.first?.key : nil
    }
}
