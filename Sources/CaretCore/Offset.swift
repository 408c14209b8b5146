/// The unit that offsets count: one of the three units of the protocol.
public enum CodeUnit: Sendable {
    /// A byte of UTF-8.
    case utf8
    /// A UTF-16 code unit. Apple's text views and browsers count these, and so does this module.
    case utf16
    /// A Unicode scalar, which is a code unit of UTF-32.
    case scalar

    /// The number of units of a scalar whose UTF-8 encoding begins with `lead`.
    func width(ofScalarWithLead lead: UInt8) -> Int {
        switch self {
        case .utf8: utf8Width(ofScalarWithLead: lead)
        case .utf16: lead < 0xF0 ? 1 : 2
        case .scalar: 1
        }
    }
}

/// The unit of an offset as a type, so that the compiler rejects an offset in the wrong unit.
public protocol TextUnit: Sendable {
    static var unit: CodeUnit { get }
}

public enum UTF8Unit: TextUnit {
    public static var unit: CodeUnit { .utf8 }
}

public enum UTF16Unit: TextUnit {
    public static var unit: CodeUnit { .utf16 }
}

public enum ScalarUnit: TextUnit {
    public static var unit: CodeUnit { .scalar }
}

/// A position between two scalars of a text, counted from the start of the text in one unit.
public struct UnitOffset<Unit: TextUnit>: Comparable, Hashable, Sendable {
    public let value: Int

    public init(_ value: Int) { self.value = value }

    public static func < (left: Self, right: Self) -> Bool { left.value < right.value }
    public static func == (left: Self, right: Self) -> Bool { left.value == right.value }
    public static func + (left: Self, distance: Int) -> Self { Self(left.value + distance) }
    public static func - (left: Self, distance: Int) -> Self { Self(left.value - distance) }
    /// The distance from `right` to `left`.
    public static func - (left: Self, right: Self) -> Int { left.value - right.value }
}

/// An offset in UTF-16 code units. Edits, carets and selections use it.
public typealias Offset = UnitOffset<UTF16Unit>
public typealias UTF8Offset = UnitOffset<UTF8Unit>
public typealias ScalarOffset = UnitOffset<ScalarUnit>

extension UnitOffset: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int) { self.init(value) }
}
