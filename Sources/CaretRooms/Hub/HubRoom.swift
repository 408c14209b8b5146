import CaretCore
package import CaretLog

/// A document that has a room, or that nobody may open a room for just now.
package struct HubRoom: Equatable, Sendable {
    package enum State: Equatable, Sendable {
        /// Its text is being read.
        case loading(DocumentEntry)
        case open
        /// It was told to rename or delete its document; what else is asked waits until this time.
        case ending(until: Int64)
        /// It is to be dropped, unless it has something to do. Where it was told to rename or delete, requests wait until
        /// this time if it is kept.
        case dropping(wasEnding: Int64?)
        /// There is none: the store renames or deletes the document.
        case changing
    }

    /// Nil once the document has been deleted.
    var name: DocumentName?
    /// Another document has the name now. The room has not yet said that its own was renamed or deleted.
    var hasLostName = false
    var epoch: Epoch
    package var state: State
    /// Those that were told to open it, and have not ended.
    package var sessions: Set<SessionID> = []
    /// It has said that nobody needs it, when the hub knew of somebody.
    var offersUnload = false
    /// The epochs were renewed while the room could not be told.
    var isOutdated = false
    /// Where its history begins, if that has changed while the room could not be told.
    var trimmed: Revision?
    /// Requests for the document, in the order in which they came.
    package var waiting: [HubWaiting] = []
}

/// A request on its way to the room of its document.
package struct HubWaiting: Equatable, Sendable {
    var request: HubRequest
    /// How often its name turned out to be another document's meanwhile.
    var attempts = 0

    /// The document of its name got another one, or went, while the store was asked which it is.
    var isOutdated = false

    /// Names change while they are looked up only now and then.
    static let mostAttempts = 4
}
