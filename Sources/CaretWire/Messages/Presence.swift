package import CaretCore

extension PeerChange {
    package enum News: Hashable, Sendable {
        /// The session's selections, at the revision that the receiver has reached. The first message about a
        /// session has an introduction.
        case selected(revision: Revision, selections: [WireSelection], introduction: Introduction?)
        case left
    }
}

extension PeerChange.News {
    init(_ fields: Fields) throws(FieldFault) {
        if try fields.flag("left") {
            self = .left
        } else {
            self = .selected(
                revision: try fields.revision("rev"), selections: try fields.selections("selections"),
                introduction: fields.has("user") ? try Introduction(fields) : nil)
        }
    }

    func writeMembers(to writer: inout JSONWriter) {
        switch self {
        case .selected(let revision, let selections, let introduction):
            introduction?.writeMembers(to: &writer)
            writer.member("rev", revision)
            writer.member("selections", selections)
        case .left:
            writer.member("left", true)
        }
    }
}
