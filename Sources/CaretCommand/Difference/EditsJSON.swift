import CaretCore

extension Change {
    /// In the form of the protocol: UTF-16 code units of the text before the change.
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
