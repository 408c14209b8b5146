/// A value of a JSON5 text, and where it stands.
package struct JSON5Value: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        case null
        case boolean(Bool)
        case number(JSON5Number)
        case string(String)
        case array([JSON5Value])
        /// In the order of the text; no two have the same key.
        case object([JSON5Member])
    }

    package let kind: Kind
    package let place: TextPlace
}

package struct JSON5Member: Equatable, Sendable {
    package let key: String
    /// Where the key stands.
    package let place: TextPlace
    package let value: JSON5Value
}

/// A number, as it was written and what it is.
package struct JSON5Number: Equatable, Sendable {
    package let written: String
    /// Nil for fractions, infinities, NaN and what a double does not hold exactly: no key wants those.
    package let whole: Int?
}
