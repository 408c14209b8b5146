import CaretCore
import CaretLog

/// A document that has a room, or for which no room may be opened at the moment.
package struct HubRoom: Equatable, Sendable {
    package enum State: Equatable, Sendable {
        case open
        /// The room was ordered to rename or delete its document. Other requests wait until it has done so,
        /// at most until this time.
        case runningOrder(until: Int64)
        /// The room will be dropped, unless it has work to do. `orderUntil` is the deadline of an order to
        /// rename or delete. That deadline applies again if the room is kept.
        case dropping(orderUntil: Int64?)
        /// There is no room: the store itself renames or deletes the document.
        case changingInStore
    }

    /// Nil once the document has been deleted.
    var name: DocumentName?
    /// Whether another document has the name now. If so, the room has not yet reported that its own document
    /// was renamed or deleted.
    var isNameReassigned = false
    var epoch: Epoch
    /// The start of the history, and the newest head that the hub has sent the room after a comparison with the store.
    var start: Revision
    var head: Revision
    package var state: State
    /// The sessions that were sent to the room and have not ended.
    package var sessions: Set<SessionID> = []
    /// Whether the room has offered to be dropped.
    var offersUnload = false
    /// Whether the epochs were renewed while the room could not be informed.
    var hasMissedRenewal = false
    /// The start of the document's history, if it changed while the room could not be informed.
    var missedTrim: Revision?
    /// Requests for the document, in the order of arrival.
    package var waiting: [WaitingRequest] = []

    init(_ entry: DocumentEntry, _ state: State) {
        (name, epoch, start, head) = (entry.name, entry.epoch, entry.start, entry.head)
        self.state = state
    }
}

/// A request on its way to the room of its document.
package struct WaitingRequest: Equatable, Sendable {
    var request: HubRequest
    /// How often the name in the request has turned out to belong to another document.
    var attempts = 0

    /// Whether the room has resolved the pushes that the connection had sent before. Only for requests that read.
    var isAfterPushes = false

    /// The push that the store was called to create its document with.
    var first: FirstPush?

    /// Whether the document was renamed or deleted while the store looked the name up.
    var isOutdated = false

    /// Whether the store was called to open the document. Other requests for the name wait until it has answered.
    var isOpening = false

    /// After this many attempts, the request is refused. Names rarely change during a lookup.
    static let mostAttempts = 4
}
