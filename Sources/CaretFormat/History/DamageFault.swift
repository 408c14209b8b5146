/// An error of a store that can say that a stored history is damaged.
package protocol DamageFault: Error {
    static var damaged: Self { get }
}
