/// A place that runs one piece of code at a time: a queue, a loop, a turn.
///
/// This target is public and inlinable: a generic type costs nothing only where the compiler sees its code. No product
/// exports it.
public protocol Confinement: Sendable {
    /// What callers show to prove that they run here; `Void` where the place finds out by itself.
    associatedtype Proof

    /// Traps unless the caller runs here.
    func check(_ proof: Proof)
}

/// A value that only one confinement touches. Every access is checked.
// @unchecked: each way to the value passes `check`, so all of them run one at a time.
public final class Confined<Value, Home: Confinement>: @unchecked Sendable {
    public let home: Home
    @usableFromInline var confined: Value

    @inlinable public init(_ value: sending Value, to home: Home) {
        self.home = home
        confined = value
    }

    /// For a value that belongs to the home already: the caller must run there.
    @inlinable public init(_ value: Value, within home: Home, on proof: Home.Proof) {
        home.check(proof)
        self.home = home
        confined = value
    }

    /// The value itself where it is a reference, else a copy.
    @inlinable public func value(on proof: Home.Proof) -> Value {
        home.check(proof)
        return confined
    }

    /// Changes the value in place. `body` must not reach for the same value again.
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
