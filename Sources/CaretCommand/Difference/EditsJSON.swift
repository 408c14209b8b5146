import CaretCore

extension Change {
    /// The edits in the form of the protocol. Offsets are UTF-16 code units in the text before the change.
    var json: JSON {
        .list(
            edits.map { edit in
                .object([
                    "range": .list([
                        .number(edit.range.lowerBound.value), .number(edit.range.upperBound.value),
                    ]),
                    "text": .text(edit.text),
                ])
            })
    }
}
