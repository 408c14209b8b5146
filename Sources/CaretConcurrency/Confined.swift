/// An executor that runs one piece of code at a time: a queue, a loop or a `Turn`.
///
/// This target is public and inlinable, so that the compiler can specialise its generic types in other
/// targets. No product exports it.
public protocol Confinement: Sendable {
    /// The type of the value by which a caller proves that it runs on this executor. `Void` if the executor
    /// needs no proof.
    associatedtype Proof

    /// Traps unless the caller runs on this executor.
    func check(_ proof: Proof)
}

/// A value that is used on one executor only. Every access is checked.
// @unchecked: every access to the value calls `check`, so accesses never overlap.
public final class Confined<Value, Home: Confinement>: @unchecked Sendable {
    public let home: Home
    @usableFromInline var confined: Value

    @inlinable public init(_ value: sending Value, to home: Home) {
        self.home = home
        confined = value
    }

    /// Confines a value that the executor uses already. The caller must run on that executor.
    @inlinable public init(_ value: Value, within home: Home, on proof: Home.Proof) {
        home.check(proof)
        self.home = home
        confined = value
    }

    /// Returns the value: the reference of an object, or a copy of a struct.
    @inlinable public func value(on proof: Home.Proof) -> Value {
        home.check(proof)
        return confined
    }

    /// Changes the value in place. `body` must not access the same value again.
    @inlinable public func update<Answer>(on proof: Home.Proof, _ body: (inout Value) -> Answer) -> Answer {
        home.check(proof)
        return body(&confined)
    }
}

extension Confined where Home.Proof == Void {
    @inlinable public convenience init(_ value: Value, within home: Home) {
        self.init(value, within: home, on: ())
    }

    @inlinable public var value: Value { value(on: ()) }

    @inlinable public func update<Answer>(_ body: (inout Value) -> Answer) -> Answer { update(on: (), body) }
}
