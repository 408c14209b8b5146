/// A value of a JSON5 text, and its position.
package struct JSON5Value: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        case null
        case boolean(Bool)
        case number(JSON5Number)
        case string(String)
        case array([JSON5Value])
        /// The members in the order of the text. All keys are different.
        case object([JSON5Member])
    }

    package let kind: Kind
    package let position: TextPosition
}

package struct JSON5Member: Equatable, Sendable {
    package let key: String
    /// The position of the key.
    package let position: TextPosition
    package let value: JSON5Value
}

/// A number, as written and as a value.
package struct JSON5Number: Equatable, Sendable {
    package let written: String
    /// The value as an integer. Nil for fractions, infinities, NaN and integers that a double cannot
    /// represent exactly, because no key accepts those.
    package let whole: Int?
}
