import CaretWire

extension String {
    /// As a message for a person repeats it: in quotes, without what would disturb a terminal, and not endless.
    package var echoed: String {
        var text = "\""
        for scalar in unicodeScalars.prefix(Limits.echo) {
            text.unicodeScalars.append(scalar.isShowable ? scalar : "?")
        }
        return text + (unicodeScalars.count > Limits.echo ? "…\"" : "\"")
    }
}

extension Unicode.Scalar {
    /// Not a control, a format character (some turn the direction of a line) or a line break.
    var isShowable: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            false
        default: true
        }
    }
}
