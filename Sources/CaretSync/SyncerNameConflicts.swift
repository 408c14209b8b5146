import CaretWire

// Files and folders whose names conflict.
extension Syncer {
    /// A free path for a file or document whose path now belongs to a folder, or whose folder is now a file.
    /// Nil if no document can have such a name.
    func freePath(for path: WireString, behind obstacle: WireString?) throws -> WireString? {
        for number in 1... {
            let mark = number == 1 ? "" : " \(number)"
            let found: WireString
            if let obstacle {
                // This drops bytes instead of Characters, because a slash and a combining character after it
                // can be one Character.
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
        preconditionFailure("each number gives a path that is already in use")
    }

    /// Whether a document for this file would conflict with an existing document: one of them would be in a
    /// folder with the name of the other. Documents whose files are missing here do not count, because they
    /// will soon be deleted or renamed.
    func hasNameConflict(_ path: WireString) -> Bool {
        if documentInTheWay(of: path) != nil { return true }
        guard let folder = names.document(of: path), news.hasDocuments(in: folder) else { return false }
        let beginning = Array(folder.utf8) + [UInt8(ascii: "/")]
        return news.documents.keys.contains { document in
            document.utf8.starts(with: beginning) && names.path(of: document).flatMap(lastingDocument) != nil
        }
    }

    /// A document that has the name of a parent folder of the file. A document that already conflicts with
    /// other documents does not count.
    func documentInTheWay(of path: WireString) -> WireString? {
        path.folders.first { folder in
            lastingDocument(of: folder).map { !news.hasDocuments(in: $0) } ?? false
        }
    }

    /// The existing document of a path. Nil if the document had a file that is missing here, because the
    /// document will soon be deleted or renamed.
    private func lastingDocument(of path: WireString) -> WireString? {
        guard let document = names.document(of: path), news.documents[document] != nil else { return nil }
        guard let record = state.records[path], record.former == nil else { return document }
        return isGone(path) ? nil : document
    }
}
