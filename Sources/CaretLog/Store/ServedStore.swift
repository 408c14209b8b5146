/// A store as a server uses it, whichever database the store has.
///
/// Opening and closing are not part of it, because each kind of store needs other things for them.
package protocol ServedStore: DocumentStore {
    /// A number that changes when the store notices that it lost commits. The names of epochs contain it.
    var generation: UInt64 { get }

    /// The time by which the server stamps changes, in milliseconds since 1970.
    var now: Int64 { get }

    /// How this store and those of other servers notify each other of changes; nil if only one server can use it.
    var bus: (any NodeBus)? { get }

    /// The other servers that use the store and have not stopped, sorted by name. A server that was killed stays in
    /// the list for a day.
    func otherNodes() async -> Result<[NodeEntry], StoreRefusal>

    /// Checks one document, or the whole store if `document` is nil, while the store keeps running. `progress`
    /// is called on another thread, and must return soon.
    func check(
        _ document: DocumentID?, progress: @escaping @Sendable (CheckProgress) -> Void
    ) async throws(MaintenanceFault) -> CheckReport

    /// Copies the store into a new file, while the store keeps running, and checks the copy. Returns the report
    /// of that check. `progress` gets how much is copied and how much there is, both in the same unit.
    func copy(
        to path: String, at time: Int64, progress: @escaping @Sendable (_ copied: Int, _ all: Int) -> Void
    ) async throws(MaintenanceFault) -> CheckReport
}
