import CaretCore
package import CaretReplica
import CaretWire

/// The content of the file with the unsaved edits of one document, as JSON.
package struct UnsavedEditsFile: Codable, Equatable {
    struct StoredEdit: Codable, Equatable {
        let start: Int
        let end: Int
        let text: String
    }

    struct StoredPosition: Codable, Equatable {
        let epoch: String
        let revision: Int
    }

    struct StoredPush: Codable, Equatable {
        let place: StoredPosition
        let seq: Int64
        let edits: [StoredEdit]
    }

    let name: String
    let place: StoredPosition?
    let committed: String
    let push: StoredPush?
    let inFlight: [StoredEdit]
    let unsent: [StoredEdit]
    let nextSeq: Int64
    /// Whether opening the document creates it if it does not exist. Nil in files that an older version of
    /// the client wrote. That version kept edits only of documents that existed.
    let creates: Bool?
    /// Those of the unsaved edits that an earlier process had kept: see `DocumentState.earlier`. Nil if these are all.
    let earlier: [StoredEdit]?

    package init(_ savedReplica: SavedReplica, of name: String, creates: Bool, earlier: Change? = nil) {
        self.name = name
        self.earlier = earlier.map { StoredEdit.all(of: $0) }
        self.creates = creates
        place = savedReplica.position.map { StoredPosition($0) }
        committed = savedReplica.committed.string
        push = savedReplica.push.map {
            StoredPush(
                place: StoredPosition($0.position), seq: $0.seq.value, edits: StoredEdit.all(of: $0.change))
        }
        inFlight = StoredEdit.all(of: savedReplica.inFlight)
        unsent = StoredEdit.all(of: savedReplica.unsent)
        nextSeq = savedReplica.nextSeq.value
    }

    /// Throws if a part is invalid, or if the parts do not fit each other.
    package func document(_ key: DocumentKey) throws -> UnsavedDocument {
        let replica = try replica()
        let earlier = try earlier.map { try StoredEdit.change($0) } ?? replica.unsaved
        _ = try replica.committed.applying(earlier)
        return UnsavedDocument(
            key: key, name: WireString(name), replica: replica, creates: creates ?? false, earlier: earlier)
    }

    private func replica() throws -> Replica {
        let push = try push.map {
            SentPush(position: $0.place.position, seq: Seq($0.seq), change: try StoredEdit.change($0.edits))
        }
        return try Replica(
            SavedReplica(
                position: place?.position, committed: try TextBuffer(committed), push: push,
                inFlight: try StoredEdit.change(inFlight), unsent: try StoredEdit.change(unsent),
                nextSeq: Seq(nextSeq)))
    }
}

extension UnsavedEditsFile.StoredEdit {
    fileprivate static func all(of change: Change) -> [Self] {
        change.edits.map {
            Self(start: $0.range.lowerBound.value, end: $0.range.upperBound.value, text: $0.text)
        }
    }

    fileprivate static func change(_ edits: [Self]) throws -> Change {
        try Change(
            edits.map { edit in
                let (start, end) = (Offset(edit.start), Offset(edit.end))
                return try Edit(min(start, end)..<max(start, end), edit.text)
            })
    }
}

extension UnsavedEditsFile.StoredPosition {
    fileprivate init(_ position: WirePosition) {
        self.init(epoch: position.epoch.string, revision: position.revision.value)
    }

    fileprivate var position: WirePosition {
        WirePosition(epoch: WireString(epoch), revision: Revision(revision))
    }
}
