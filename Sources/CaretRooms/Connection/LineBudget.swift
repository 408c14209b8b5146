/// The bytes that all incomplete lines of a server may use together. All loops share this budget.
package struct LineBudget: Equatable, Sendable {
    /// Negative if a smaller limit was set while more bytes were reserved.
    package private(set) var left: Int
    private var limit: Int

    package init(_ limit: Int) { (left, self.limit) = (limit, limit) }

    /// Changes the limit. Bytes that are reserved stay reserved.
    package mutating func setLimit(_ limit: Int) {
        left += limit - self.limit
        self.limit = limit
    }

    /// Reserves bytes until they are released. Returns false if too few are left.
    package mutating func claim(_ bytes: Int) -> Bool {
        if bytes > left { return false }
        left -= bytes
        return true
    }

    package mutating func release(_ bytes: Int) { left += bytes }
}
