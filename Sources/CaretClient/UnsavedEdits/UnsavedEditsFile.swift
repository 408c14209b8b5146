import CaretCore
package import CaretReplica
import CaretWire

/// The unsaved edits of one document, as they lie in a file.
package struct KeptDocument: Codable, Equatable {
    struct KeptEdit: Codable, Equatable {
        let start: Int
        let end: Int
        let text: String
    }

    struct KeptPlace: Codable, Equatable {
        let epoch: String
        let revision: Int
    }

    struct KeptPush: Codable, Equatable {
        let place: KeptPlace
        let seq: Int64
        let edits: [KeptEdit]
    }

    let name: String
    let place: KeptPlace?
    let committed: String
    let push: KeptPush?
    let inFlight: [KeptEdit]
    let unsent: [KeptEdit]
    let nextSeq: Int64
    /// It is made where there is none; nil in files of older versions, which kept no such document.
    let creates: Bool?

    package init(_ keepsake: Keepsake, of name: String, creates: Bool) {
        self.name = name
        self.creates = creates
        place = keepsake.place.map { KeptPlace($0) }
        committed = keepsake.committed.string
        push = keepsake.push.map {
            KeptPush(place: KeptPlace($0.place), seq: $0.seq.value, edits: KeptEdit.all(of: $0.change))
        }
        inFlight = KeptEdit.all(of: keepsake.inFlight)
        unsent = KeptEdit.all(of: keepsake.unsent)
        nextSeq = keepsake.nextSeq.value
    }

    /// Throws where the parts are none, or do not fit each other.
    func replica() throws -> Replica {
        let push = try push.map {
            SentPush(place: $0.place.place, seq: Seq($0.seq), change: try KeptEdit.change($0.edits))
        }
        return try Replica(
            Keepsake(
                place: place?.place, committed: try Text(committed), push: push,
                inFlight: try KeptEdit.change(inFlight), unsent: try KeptEdit.change(unsent),
                nextSeq: Seq(nextSeq)))
    }
}

extension KeptDocument.KeptEdit {
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

extension KeptDocument.KeptPlace {
    fileprivate init(_ place: WirePosition) {
        self.init(epoch: place.epoch.string, revision: place.revision.value)
    }

    fileprivate var place: WirePosition {
        WirePosition(epoch: WireString(epoch), revision: Revision(revision))
    }
}
