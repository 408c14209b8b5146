/// An optional value in memory of its own. Without a value, it takes only 8 bytes of its owner.
///
/// Unlike an object, it is copied with its owner. The value is changed in place: an array of at most one element can
/// do both.
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

    /// Takes the value out. Returns nil if there is none.
    @discardableResult mutating func take() -> Value? {
        defer { storage = [] }
        return storage.popLast()
    }
}
