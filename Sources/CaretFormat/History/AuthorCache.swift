package import CaretLog

/// The authors that a connection used last. Finds a pusher by its number, and a number by its pusher.
package struct AuthorCache {
    /// Enough for all authors who write at the same time. A full cache is emptied.
    private static let most = 4096

    private var pushers: [Int64: Pusher] = [:]
    private var numbers: [Pusher: Int64] = [:]

    package init() {}

    package subscript(number: Int64) -> Pusher? { pushers[number] }

    package subscript(pusher: Pusher) -> Int64? { numbers[pusher] }

    package mutating func keep(_ pusher: Pusher, _ number: Int64) {
        if pushers.count >= AuthorCache.most { self = AuthorCache() }
        pushers[number] = pusher
        numbers[pusher] = number
    }
}
