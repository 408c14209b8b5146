/// The bytes that all begun lines of a server may hold together. It has one home, which every loop asks.
package struct LineBudget: Equatable, Sendable {
    package private(set) var left: Int

    package init(_ limit: Int) { left = limit }

    /// True where the budget had so many bytes; they are claimed then, until they are released.
    package mutating func claim(_ bytes: Int) -> Bool {
        if bytes > left { return false }
        left -= bytes
        return true
    }

    package mutating func release(_ bytes: Int) { left += bytes }
}
