import CaretCore
package import CaretLog

// The columns of a row of `note`.
extension Note {
    static func columns(_ dialect: SQLDialect) -> String {
        "number, version, counter, parent, state, \(dialect.user), time, edited, weight, revision, place, quote, body, request"
            + dialect.sum
    }

    /// True for open and resolved notes that have a place. `Note.movingPlace` says the same.
    static let moving = "revision IS NOT NULL AND state < 2"

    package init(
        _ row: SQLRow, of document: DocumentID, _ dialect: SQLDialect
    ) throws(DamagedRow) {
        guard let state = State(rawValue: try row.integer(4)) else { throw row.damage("is no state", 4) }
        var place: NotePlace?
        if !row.isNull(9) {
            place = NotePlaceFormat.decoded(row.bytes(10), at: try row.revision(9))
            if place == nil { throw row.damage("is no place", 10) }
        }
        self.init(
            number: NoteNumber(Int64(try row.count(0))), version: Int64(try row.count(1)),
            counter: Int64(try row.count(2)),
            NoteContent(
                parent: try row.optionalInteger(3).map { NoteNumber($0) }, user: row.byteString(5),
                time: try row.integer(6), text: row.byteString(12), quote: row.byteString(11), place: place,
                request: row.byteString(13)),
            state: state, edited: try row.optionalInteger(7), weight: try row.count(8))
        if dialect.hasSums { try row.check(sum(in: document), 14) }
    }

    /// The values of all columns, in their order.
    func values(in document: DocumentID, _ dialect: SQLDialect) -> [SQLValue] {
        let place = content.place
        return [
            .integer(number.value), .integer(version), .integer(counter), .integer(content.parent?.value),
            .integer(state.rawValue), .bytes(content.user.utf8), .integer(content.time), .integer(edited),
            .count(weight),
            .integer(place.map { Int64($0.revision.value) }),
            .bytes(place.map(NotePlaceFormat.encoded) ?? []),
            .bytes(content.quote.utf8), .bytes(content.text.utf8),
            .bytes(content.request.utf8),
        ] + (dialect.hasSums ? [.integer(sum(in: document))] : [])
    }

    /// The checksum of the row.
    package func sum(in document: DocumentID) -> Int64 {
        var sum = RowSum()
        sum.update(document.value)
        let numbers: [Int64] = [
            number.value, version, counter, content.parent?.value ?? 0, state.rawValue, content.time,
            edited ?? .min, Int64(weight), content.place.map { Int64($0.revision.value) } ?? -1,
        ]
        for number in numbers { sum.update(number) }
        sum.update(content.place.map(NotePlaceFormat.encoded) ?? [])
        for bytes in [content.user, content.quote, content.text, content.request] { sum.update(bytes.utf8) }
        return sum.value()
    }
}

// The columns of a row of `notebook`.
extension Notebook {
    static func columns(_ dialect: SQLDialect) -> String {
        "counter, last, removed, notes, bytes" + dialect.sum
    }

    package init(
        _ row: SQLRow, of document: DocumentID, _ dialect: SQLDialect
    ) throws(DamagedRow) {
        self.init(
            counter: Int64(try row.count(0)), last: Int64(try row.count(1)),
            removed: Int64(try row.count(2)),
            notes: try row.count(3), bytes: try row.count(4))
        if dialect.hasSums { try row.check(sum(in: document), 5) }
    }

    /// The values of all columns, in their order.
    func values(in document: DocumentID, _ dialect: SQLDialect) -> [SQLValue] {
        [.integer(counter), .integer(last), .integer(removed), .count(notes), .count(bytes)]
            + (dialect.hasSums ? [.integer(sum(in: document))] : [])
    }

    /// The checksum of the row.
    package func sum(in document: DocumentID) -> Int64 {
        var sum = RowSum()
        sum.update(document.value)
        for number in [counter, last, removed, Int64(notes), Int64(bytes)] { sum.update(number) }
        return sum.value()
    }
}
