/// The bytes that all incomplete lines of a server may use together. All loops share this budget.
package struct LineBudget: Equatable, Sendable {
    package private(set) var left: Int

    package init(_ limit: Int) { left = limit }

    /// Reserves bytes until they are released. Returns false if too few are left.
    package mutating func claim(_ bytes: Int) -> Bool {
        if bytes > left { return false }
        left -= bytes
        return true
    }

    package mutating func release(_ bytes: Int) { left += bytes }
}
