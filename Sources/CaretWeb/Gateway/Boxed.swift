/// An optional value in memory of its own. Without a value, it takes only 8 bytes of its owner.
///
/// The value is stored in an array of at most one element. So a copy of the owner has its own value, as with a plain
/// optional, and a change does not copy the value.
struct Boxed<Value: Sendable>: Sendable {
    private var storage: [Value] = []

    var isEmpty: Bool { storage.isEmpty }

    /// Copies the value. To look only at a part of it, use `read`.
    var value: Value? { storage.first }

    /// Returns nil if there is no value.
    func read<Result>(_ part: (borrowing Value) -> Result) -> Result? {
        storage.isEmpty ? nil : part(storage[0])
    }

    /// Returns nil if there is no value.
    @discardableResult mutating func change<Result>(_ change: (inout Value) -> Result) -> Result? {
        storage.isEmpty ? nil : change(&storage[0])
    }

    mutating func set(_ value: Value) {
        storage = []
        storage.reserveCapacity(1)
        storage.append(value)
    }

    /// Removes the value and returns it. Returns nil if there is no value.
    @discardableResult mutating func take() -> Value? {
        defer { storage = [] }
        return storage.popLast()
    }
}
