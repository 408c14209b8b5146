import CaretWire

extension String {
    /// The text as a message for people repeats it: in quotes, cut to `Limits.echo` scalars, with `?` for
    /// each scalar that would disturb a terminal.
    ///
    /// Only for local texts: arguments, variables, configuration. For a line from the network, a message uses
    /// `excerpt(of:)` of CaretWire. That function works on bytes, so a line of megabytes never becomes a
    /// String. It replaces no scalars: the code that displays the message escapes it.
    package var echoed: String {
        var text = "\""
        for scalar in unicodeScalars.prefix(Limits.echo) {
            text.unicodeScalars.append(scalar.isShowable ? scalar : "?")
        }
        return text + (unicodeScalars.count > Limits.echo ? "…\"" : "\"")
    }
}

extension Unicode.Scalar {
    /// False for scalars that control a terminal, break a line, have no visible form, or change how others
    /// are shown. Some format characters, for example, reverse the direction of a line.
    var isShowable: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            false
        default: true
        }
    }
}
