package import CaretLog
package import CaretRooms
import CaretWire
import Synchronization

/// The newest texts of documents that were read recently. So a loop can answer a read itself, without
/// the hub and the store. Any thread may call it.
///
/// **Law:** a text from this cache is the newest text at some moment during the call. So a read after an ack
/// never returns an older revision, whichever connections the ack and the read use. Two parts keep this law:
/// - `WatchedStore` reports each write to `writes`, before the store gets it and before its answer leaves.
/// - A text is added with a time from before its read. It is returned only while `writes` knows of no write
///   that is under way or has ended since then.
///
/// The cache knows nothing about rights: the connection checks them for each read. While a connection does not
/// know its new rights yet, the cache returns nothing, so that the hub decides.
package final class TextCache: Sendable {
    package let writes = WriteClock()
    private let texts: Mutex<RecentTexts>
    /// How many connections were sent new rights, but have not received them yet.
    private let rightsOnTheWay = Atomic(0)

    /// `limit` is the most bytes of all texts together.
    package init(limit: Int) { texts = Mutex(RecentTexts(limit: limit)) }

    /// The newest text of the document with this name; nil if a read must find it.
    package func text(of name: DocumentName) -> ReadText? {
        guard rightsOnTheWay.load(ordering: .sequentiallyConsistent) == 0,
            let text = texts.withLock({ $0.use(name) })
        else { return nil }
        if writes.isCurrent(text.document, since: text.asOf) { return text }
        texts.withLock { $0.remove(text) }
        return nil
    }

    /// Adds the result of a read, unless it is outdated already.
    package func add(_ text: ReadText) {
        if writes.isCurrent(text.document, since: text.asOf) { texts.withLock { $0.add(text) } }
    }

    /// The memory that all texts take.
    package var bytes: Int { texts.withLock { $0.bytes } }

    /// The bytes of all texts.
    package var textBytes: Int { texts.withLock { $0.bytes - $0.count * RecentTexts.overhead } }

    // MARK: Rights

    /// The hub sends new rights to a connection. Call this before.
    func beginRightsChange() { rightsOnTheWay.add(1, ordering: .sequentiallyConsistent) }

    /// A connection has received its new rights, or has ended.
    func endRightsChange() { rightsOnTheWay.subtract(1, ordering: .sequentiallyConsistent) }
}

extension HubMessage {
    /// Whether the message changes what a connection may read.
    var changesRights: Bool {
        switch self {
        case .identityChanged, .ended(.revoked), .ended(.tokenEnded): true
        case .admitted, .refused, .answered, .answeredWithText, .startedLongRequest, .reported, .assignedRoom,
            .documents,
            .ended, .shuttingDown:
            false
        }
    }
}
