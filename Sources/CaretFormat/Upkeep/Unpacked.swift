/// What upkeep has read and must still compress. That needs no connection, and may take many times as long as the read.
package struct Unpacked<Value>: Sendable {
    private let pack: @Sendable () -> Value

    init(_ pack: @escaping @Sendable () -> Value) { self.pack = pack }

    package func packed() -> Value { pack() }
}
