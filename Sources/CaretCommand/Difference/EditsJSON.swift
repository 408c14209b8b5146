import CaretCore

extension Change {
    /// As the wire has it, in UTF-16 code units of the text before.
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
