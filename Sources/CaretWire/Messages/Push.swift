// The parts of pushes and changes that are more than a list of fields.

extension Push {
    package enum Content: Equatable, Sendable {
        case edits([WireEdit])
        /// The whole new text. The server compares it with the text at the base.
        case text(WireString)
    }
}

extension Push.Content {
    init(_ fields: Fields) throws(FieldFault) {
        switch (fields.value(optional: "edits"), fields.value(optional: "text")) {
        case (let edits?, nil):
            let limit = fields.limits.edits
            self = .edits(
                try fields.read("edits", edits) { value throws(FieldFault) in
                    try value.array(atMost: limit, orElse: .tooLarge) { edit throws(FieldFault) in
                        try WireEdit(edit)
                    }
                })
        case (nil, _?): self = .text(try fields.string("text"))
        case (nil, nil): throw fields.fault("edits", "is missing, and so is text; expected one of them")
        case (_?, _?): throw fields.fault("text", "is given together with edits; expected one of them")
        }
    }

    func writeMembers(to writer: inout JSONWriter) {
        switch self {
        case .edits(let edits): writer.member("edits", edits)
        case .text(let text): writer.member("text", text)
        }
    }
}
