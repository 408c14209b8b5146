import CaretWire

extension WireString {
    /// The beginning of the text in quotes, for error messages. Control characters are replaced.
    var quoted: String {
        var scalars = String.UnicodeScalarView()
        for scalar in string.unicodeScalars.prefix(Limits.echo) {
            scalars.append(scalar.properties.generalCategory == .control ? "\u{FFFD}" : scalar)
        }
        let isCut = string.unicodeScalars.dropFirst(Limits.echo).first != nil
        return "\"\(String(scalars))\(isCut ? "…" : "")\""
    }
}
