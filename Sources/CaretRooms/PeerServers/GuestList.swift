import CaretCore
import CaretLog
package import CaretWire

/// The sessions that have the document open at other servers, as those servers have told.
package struct GuestList: Sendable {
    package struct Guest: Sendable {
        package let name: WireString
        let node: NodeID
        let introduction: Introduction
        package var presence: SessionPresence
        /// The number of the newest news. Older news that arrive later are ignored.
        var moment: Int
        /// Since when messages of servers were lost, and its server has not told of it again; nil if it has.
        var lostSince: Int64?
    }

    /// In the order of their names, so that what is sent never depends on the order of arrival.
    package private(set) var all: [Guest] = []
    private var askingTime: Int64?
    /// News at revisions that the room does not have yet.
    private var early: [ByteString: (node: NodeID, news: GuestNews)] = [:]

    /// After messages were lost, servers have this long to tell of their sessions again, in milliseconds.
    static let confirmationTime: Int64 = 3_000

    package init() {}

    var count: Int { all.count }
    package var indices: Range<Int> { all.indices }

    package subscript(index: Int) -> Guest {
        get { all[index] }
        _modify { yield &all[index] }
    }

    func index(of name: WireString) -> Int? {
        let index = insertionIndex(of: name)
        return index < all.count && all[index].name == name ? index : nil
    }

    /// Adds a guest without selections. Returns its index.
    mutating func add(_ news: GuestNews, from node: NodeID) -> Int {
        let name = WireString(news.session.string)
        let introduction = Introduction(
            user: WireString(news.user.string), client: WireString(news.client.string),
            info: news.info.flatMap { WireInfo(json: $0.utf8) })
        let index = insertionIndex(of: name)
        all.insert(
            Guest(
                name: name, node: node, introduction: introduction,
                presence: SessionPresence(sentUntil: 0, introduced: 0), moment: news.moment - 1),
            at: index)
        return index
    }

    mutating func remove(at index: Int) -> Guest { all.remove(at: index) }

    private func insertionIndex(of name: WireString) -> Int {
        all.indices.partitionPoint { !all[$0].name.string.utf8.lexicographicallyPrecedes(name.string.utf8) }
    }

    // MARK: News that come too early

    var hasEarly: Bool { !early.isEmpty }

    /// Keeps news until the room has their revision.
    mutating func keepEarly(_ news: GuestNews, from node: NodeID) {
        if let known = early[news.session], known.news.moment > news.moment { return }
        early[news.session] = (node, news)
    }

    mutating func forgetEarly(_ session: ByteString) { early[session] = nil }

    /// Forgets the news of a server that has ended.
    mutating func forgetEarly(of node: NodeID) { early = early.filter { $0.value.node != node } }

    /// Removes and returns the news up to a revision.
    mutating func takeEarly(upTo head: Revision) -> [(node: NodeID, news: GuestNews)] {
        let due = early.filter { $0.value.news.revision <= head }
        for session in due.keys { early[session] = nil }
        return due.sorted { $0.key < $1.key }.map(\.value)
    }

    // MARK: Lost messages

    /// Messages of servers were lost, so some of the guests may have left. Sessions whose news wait for their revision
    /// are told again.
    mutating func beginConfirmation(at now: Int64) {
        early = [:]
        for index in all.indices where all[index].lostSince == nil { all[index].lostSince = now }
    }

    // MARK: Work that is due later

    /// When selections that could not be shown are asked for again, in milliseconds.
    static let askAgainTime: Int64 = 1_000

    mutating func askAgain(at time: Int64) { askingTime = min(askingTime ?? time, time) }

    /// Whether it is time to ask again. Clears that time.
    mutating func takeAsking(at now: Int64) -> Bool {
        guard let askingTime, askingTime <= now else { return false }
        self.askingTime = nil
        return true
    }

    /// When the next guest of whom nobody has told again is removed, or selections are asked for again; nil for never.
    var workTime: Int64? {
        let removal = all.compactMap(\.lostSince).min().map { $0 + GuestList.confirmationTime }
        return [removal, askingTime].compactMap(\.self).min()
    }
}
