import CaretWire

extension String {
    /// The text for use in a message: in quotes, cut to `Limits.echo` scalars, with `?` for each scalar that
    /// would disturb a terminal.
    ///
    /// Use this property only for local texts: arguments, variables and configuration. For a line from the
    /// network, use `excerpt(of:)` of CaretWire. That function works on bytes, so a line of megabytes never
    /// becomes a String. It does not replace scalars, because the code that displays the message escapes
    /// them.
    package var echoed: String {
        var text = "\""
        for scalar in unicodeScalars.prefix(Limits.echo) {
            text.unicodeScalars.append(scalar.isShowable ? scalar : "?")
        }
        return text + (unicodeScalars.count > Limits.echo ? "…\"" : "\"")
    }
}

extension Unicode.Scalar {
    /// False for scalars that control a terminal, break a line, are invisible, or change how other scalars
    /// are shown. For example, some format characters reverse the direction of a line.
    var isShowable: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            false
        default: true
        }
    }
}
