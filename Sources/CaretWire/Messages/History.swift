package import CaretCore

/// A revision of a document, given by its number or by a time at which it was the head.
package enum Moment: Hashable, Sendable {
    /// The request gives neither a revision nor a time. `read` then means the head of the document, and
    /// `history` means the beginning of its history.
    case unspecified
    case revision(Revision)
    /// A time in milliseconds.
    case time(Int)
}

extension Moment {
    /// Reads the field `revision`, or the time in the field `at`.
    init(_ fields: Fields, _ revision: StaticString) throws(FieldFault) {
        let time = try fields.integer(optional: "at")
        let number = try fields.revision(optional: revision)
        switch (number, time) {
        case (let number?, nil): self = .revision(number)
        case (nil, let time?): self = .time(time)
        case (nil, nil): self = .unspecified
        case (_?, _?):
            throw fields.fault("at", "is given together with \(revision); expected one of them")
        }
    }

    func writeMembers(to writer: inout JSONWriter, _ revision: StaticString) {
        switch self {
        case .unspecified: break
        case .revision(let number): writer.member(revision, number)
        case .time(let time): writer.member("at", time)
        }
    }
}

extension RevisionSummary {
    /// An upper bound on the encoded size in bytes.
    package var mostBytes: Int {
        // This includes keys, brackets and 20 digits for each number. Each byte of a string can become a
        // 6-byte escape.
        let texts = (edits ?? []).reduce(author.user.utf8.count + author.client.utf8.count) {
            $0 + $1.text.utf8.count
        }
        return 180 + 80 * (edits?.count ?? 0) + 6 * texts
    }
}
