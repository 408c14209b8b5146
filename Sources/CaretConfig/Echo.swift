import CaretWire

extension String {
    /// The text as a message for a person repeats it: in quotes, cut to `Limits.echo` scalars, and with `?` for each scalar
    /// that would disturb a terminal.
    ///
    /// For texts of this machine: arguments, variables, configuration. What a message repeats of a line from the network
    /// is cut by `excerpt(of:)` of CaretWire instead, which works on bytes, so that a line of megabytes never becomes a String. It
    /// replaces nothing: whoever shows that message escapes it.
    package var echoed: String {
        var text = "\""
        for scalar in unicodeScalars.prefix(Limits.echo) {
            text.unicodeScalars.append(scalar.isShowable ? scalar : "?")
        }
        return text + (unicodeScalars.count > Limits.echo ? "…\"" : "\"")
    }
}

extension Unicode.Scalar {
    /// False for scalars that control a terminal, break a line, have no visible form, or change how others are shown: some
    /// format characters turn the direction of a line.
    var isShowable: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            false
        default: true
        }
    }
}
