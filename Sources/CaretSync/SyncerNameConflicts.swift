import CaretWire

// Files and folders whose names conflict.
extension Syncer {
    /// A free path for a file or document whose own path has become a folder, or whose folder has become a
    /// file. Nil if no document can have such a name.
    func roomyPath(for path: WireString, behind obstacle: WireString?) throws -> WireString? {
        for number in 1... {
            let mark = number == 1 ? "" : " \(number)"
            let found: WireString
            if let obstacle {
                // The slash after it may form one Character with its last letter.
                let rest = String(decoding: path.utf8.dropFirst(obstacle.utf8.count), as: UTF8.self)
                found = WireString("\(obstacle.string) (folder\(mark))\(rest)")
            } else {
                found = WireString("\(path.string) (file\(mark))")
            }
            guard let document = names.document(of: found) else { return nil }
            let isKnown = state.records[found] != nil || news.documents[document] != nil
            if isKnown { continue }
            if try folder.obstacle(to: found) == nil, try folder.disk.status(folder.path(found)) == nil {
                return found
            }
        }
        preconditionFailure("numbers do not end")
    }

    /// Whether no folder could contain the file together with all existing documents, if the file had a
    /// document. Documents whose files are missing here do not count: they are about to be deleted or
    /// renamed.
    func isCrossed(_ path: WireString) -> Bool {
        if documentInTheWay(of: path) != nil { return true }
        guard let folder = names.document(of: path), news.hasDocuments(in: folder) else { return false }
        let beginning = Array(folder.utf8) + [UInt8(ascii: "/")]
        return news.documents.keys.contains { document in
            document.utf8.starts(with: beginning) && names.path(of: document).map(hasDocumentToStay) ?? false
        }
    }

    /// A document whose name is that of a folder of the file. One that conflicts with others already does not
    /// count.
    func documentInTheWay(of path: WireString) -> WireString? {
        path.folders.first { folder in
            hasDocumentToStay(folder)
                && names.document(of: folder).map { !news.hasDocuments(in: $0) } ?? false
        }
    }

    private func hasDocumentToStay(_ path: WireString) -> Bool {
        guard let document = names.document(of: path), news.documents[document] != nil else { return false }
        return state.records[path] == nil || !isGone(path)
    }
}
