import CaretCore
import CaretLog
package import CaretWire

/// A session that has the document open at another server.
package struct RemoteSession: Sendable {
    package let name: WireString
    let node: NodeID
    let introduction: Introduction
    package var presence: SessionPresence
    /// The number of its newest notification. Older ones that arrive later are ignored.
    var moment: Int
    /// Since when notifications were missed, and its server has not published it again; nil if it has.
    var unconfirmedSince: Int64?
}

/// The sessions that have the document open at other servers, as those servers have published them.
package struct RemoteSessions: Sendable {
    /// In the order of their names, so that what is sent never depends on the order of arrival.
    package private(set) var all: [RemoteSession] = []
    private var askingTime: Int64?
    /// Selections at revisions that the room does not have yet.
    private var early: [ByteString: (node: NodeID, session: PublishedSession)] = [:]

    /// After notifications were missed, servers have this long to publish their sessions again, in milliseconds.
    static let confirmationTime: Int64 = 3_000

    package init() {}

    var count: Int { all.count }
    package var indices: Range<Int> { all.indices }

    package subscript(index: Int) -> RemoteSession {
        get { all[index] }
        _modify { yield &all[index] }
    }

    func index(of name: WireString) -> Int? {
        let index = insertionIndex(of: name)
        return index < all.count && all[index].name == name ? index : nil
    }

    /// Adds a session without selections. Returns its index.
    mutating func add(_ session: PublishedSession, from node: NodeID) -> Int {
        let name = WireString(session.session.string)
        let introduction = Introduction(
            user: WireString(session.user.string), client: WireString(session.client.string),
            info: session.info.flatMap { WireInfo(json: $0.utf8) })
        let index = insertionIndex(of: name)
        all.insert(
            RemoteSession(
                name: name, node: node, introduction: introduction,
                presence: SessionPresence(sentUntil: 0, introduced: 0), moment: session.moment - 1),
            at: index)
        return index
    }

    mutating func remove(at index: Int) -> RemoteSession { all.remove(at: index) }

    private func insertionIndex(of name: WireString) -> Int {
        all.indices.partitionPoint { !all[$0].name.string.utf8.lexicographicallyPrecedes(name.string.utf8) }
    }

    // MARK: Selections that come too early

    /// Keeps selections until the room has their revision.
    mutating func keepEarly(_ session: PublishedSession, from node: NodeID) {
        if let known = early[session.session], known.session.moment > session.moment { return }
        early[session.session] = (node, session)
    }

    mutating func forgetEarly(_ session: ByteString) { early[session] = nil }

    /// Forgets the early selections of a server that has ended.
    mutating func forgetEarly(of node: NodeID) { early = early.filter { $0.value.node != node } }

    /// Removes and returns the selections up to a revision.
    mutating func takeEarly(upTo head: Revision) -> [(node: NodeID, session: PublishedSession)] {
        if early.isEmpty { return [] }
        let due = early.filter { $0.value.session.revision <= head }
        for session in due.keys { early[session] = nil }
        return due.sorted { $0.key < $1.key }.map(\.value)
    }

    // MARK: Missed notifications

    /// Notifications were missed, so some of the sessions may have left. Servers publish early selections again.
    mutating func beginConfirmation(at now: Int64) {
        early = [:]
        for index in all.indices where all[index].unconfirmedSince == nil {
            all[index].unconfirmedSince = now
        }
    }

    // MARK: Work that is due later

    /// After this time, the room asks again for selections that it could not show, in milliseconds.
    static let askAgainTime: Int64 = 1_000

    mutating func askAgain(at time: Int64) { askingTime = min(askingTime ?? time, time) }

    /// Whether it is time to ask again. Clears that time.
    mutating func takeAsking(at now: Int64) -> Bool {
        guard let askingTime, askingTime <= now else { return false }
        self.askingTime = nil
        return true
    }

    /// When the next unconfirmed session leaves, or the room asks again; nil for never.
    var workTime: Int64? {
        let removal = all.compactMap(\.unconfirmedSince).min().map { $0 + RemoteSessions.confirmationTime }
        return [removal, askingTime].compactMap(\.self).min()
    }
}
