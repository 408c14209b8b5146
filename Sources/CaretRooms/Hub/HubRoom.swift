import CaretCore
package import CaretLog

/// A document that has a room, or that nobody may open a room for at the moment.
package struct HubRoom: Equatable, Sendable {
    package enum State: Equatable, Sendable {
        /// Its text is being read.
        case loading(DocumentEntry)
        case open
        /// It was ordered to rename or delete its document. Other requests wait until this time.
        case ending(until: Int64)
        /// It will be dropped, unless it has work to do. If it was ordered to rename or delete and is kept,
        /// requests wait until this time.
        case dropping(wasEnding: Int64?)
        /// There is no room: the store itself renames or deletes the document.
        case changing
    }

    /// Nil once the document has been deleted.
    var name: DocumentName?
    /// Another document has the name now. The room has not yet said that its own was renamed or deleted.
    var hasLostName = false
    var epoch: Epoch
    package var state: State
    /// The sessions that were sent to it and have not ended.
    package var sessions: Set<SessionID> = []
    /// It reported that nobody needs it while the hub had a request for it.
    var offersUnload = false
    /// The epochs were renewed while the room could not be informed.
    var isOutdated = false
    /// Where its history begins, if that changed while the room could not be informed.
    var trimmed: Revision?
    /// Requests for the document, in the order of arrival.
    package var waiting: [HubWaiting] = []
}

/// A request on its way to the room of its document.
package struct HubWaiting: Equatable, Sendable {
    var request: HubRequest
    /// How often its name has turned out to belong to another document.
    var attempts = 0

    /// The document got another name, or was deleted, while the store looked the name up.
    var isOutdated = false

    /// Names rarely change while they are looked up.
    static let mostAttempts = 4
}
