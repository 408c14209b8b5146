import CaretCore
import CaretLog
import CaretWire

/// A client that is informed of documents as they are created and changed.
struct Follower: Equatable, Sendable {
    enum Stage: Equatable, Sendable {
        /// The follower is being sent the existing documents.
        case listing(NameScan)
        /// The follower is being sent news, but not before this time.
        case live(from: Int64)
    }

    let request: HubRequest
    let prefix: ByteString
    let unit: CodeUnit
    var stage: Stage
    /// The number of the last item of the feed that the follower was sent.
    var position: Int
    /// When each document was last sent, so that none is sent twice in a short time.
    var sentAt: [DocumentID: Int64] = [:]
    /// The number of the last item of the feed when the store was asked for the current part of the list.
    var listingPosition = 0
    /// Whether the last batch is undelivered, or a store call for this follower is unanswered.
    var isBusy = false

    var isListing: Bool {
        switch stage {
        case .listing: true
        case .live: false
        }
    }
}

/// Following documents.
extension HubState {
    /// How many documents a follower is sent at once.
    static let batch = 100

    mutating func begin(_ follow: Follow, _ request: HubRequest) {
        guard let joined = joinedConnections[request.connection] else { return }
        let prefix = ByteString(follow.prefix)
        watch()
        followers[request.connection] = Follower(
            request: request, prefix: prefix, unit: joined.unit,
            stage: .listing(NameScan(joined.identity.grants, prefix: prefix)), position: feed.last)
        needDelivery()
    }

    mutating func endFollowing(_ request: HubRequest) {
        endFollowing(request.connection)
        answer(request, .done(Done()))
    }

    private mutating func watch() {
        if feed.isWatched { return }
        feed.watch(true)
        emit(.watchCommits(true))
    }

    /// Ends the following of a connection. After the last follower has left, no updates are kept.
    mutating func endFollowing(_ connection: ConnectionID) {
        followers[connection] = nil
        if !followers.isEmpty || !feed.isWatched { return }
        feed.watch(false)
        deliveryDue = nil
        emit(.watchCommits(false))
    }

    mutating func schedule(_ document: DocumentID) {
        feed.schedule(document, at: now, every: limits.documentMilliseconds)
    }

    /// The last batch for a follower was delivered.
    mutating func deliveredDocuments(_ connection: ConnectionID) {
        followers[connection]?.isBusy = false
        needDelivery()
    }

    // MARK: Existing documents

    private mutating func proceed(_ connection: ConnectionID) {
        guard let follower = followers[connection], case .listing(var scan) = follower.stage else { return }
        if let next = scan.next(limit: HubState.batch) {
            followers[connection]?.stage = .listing(scan)
            followers[connection]?.isBusy = true
            followers[connection]?.listingPosition = feed.last
            call(next, for: .follow(connection))
        } else {
            followers[connection]?.stage = .live(from: now + Int64(limits.documentMilliseconds))
            answer(follower.request, .done(Done()))
        }
    }

    mutating func listed(_ answer: StoreAnswer, for connection: ConnectionID) {
        guard let follower = followers[connection], case .listing(var scan) = follower.stage else { return }
        do throws(RequestRefusal) {
            let entries = try scan.receive(answer)
            followers[connection]?.stage = .listing(scan)
            followers[connection]?.isBusy = false
            needDelivery()
            noteEpochs(of: entries)
            let listed = feed.listed(
                entries, at: follower.listingPosition, at: now, every: limits.documentMilliseconds)
            let readable = listed.filter { access(follower.request, to: $0.name) >= .read }
            send(connection, readable.map { .document(DocumentSummary($0, in: follower.unit)) })
        } catch {
            endFollowing(connection)
            refuse(follower.request, error)
        }
    }

    private mutating func send(_ connection: ConnectionID, _ messages: [ServerMessage]) {
        if messages.isEmpty { return }
        followers[connection]?.isBusy = true
        emit(.sendToConnection(connection, .documents(messages)))
    }

    // MARK: News

    /// Sends followers what is new for them, at the end of the current event.
    mutating func needDelivery() { deliveryDue = now }

    /// Sends each follower the news, if its last batch was delivered.
    mutating func deliver() {
        for connection in followers.keys.sorted() {
            guard let follower = followers[connection], !follower.isBusy else { continue }
            switch follower.stage {
            case .listing: proceed(connection)
            case .live(let from): if now >= from { sendUpdates(connection, follower) }
            }
        }
        forgetDelivered()
        deliveryDue = nextDelivery
    }

    /// Removes what every follower was sent. Disconnects followers that are so far behind that too much would
    /// be kept for them.
    private mutating func forgetDelivered() {
        while let position = followers.values.map(\.position).min() {
            feed.forget(through: position)
            if feed.goneCount <= DocumentFeed.mostGone { return }
            for connection in followers.keys.sorted() where followers[connection]?.position == position {
                endFollowing(connection)
                if joinedConnections.dismiss(connection) {
                    emit(.sendToConnection(connection, .ended(.tooSlow)))
                }
            }
        }
    }

    /// The next time at which a follower that waits can be sent news.
    private var nextDelivery: Int64? {
        let times = followers.values.compactMap { follower -> Int64? in
            guard case .live(let from) = follower.stage, follower.position < feed.last else { return nil }
            return from
        }
        return times.filter { $0 > now }.min()
    }

    /// Looks up changed documents whose interval between reports has passed.
    mutating func lookUpChangedDocuments() {
        let due = feed.due(at: now, limit: HubState.batch)
        if !due.isEmpty { call(.entries(due), for: .feed) }
    }

    mutating func noteChangedDocuments(_ answer: StoreAnswer) {
        needDelivery()
        var results: [Result<DocumentEntry, StoreRefusal>] = []
        if case .entries(let found) = answer { results = found }
        noteEpochs(of: results.compactMap { try? $0.get() })
        feed.lookedUp(results, at: now, every: limits.documentMilliseconds)
    }

    private mutating func sendUpdates(_ connection: ConnectionID, _ follower: Follower) {
        var (follower, messages) = (follower, [ServerMessage]())
        let pause = Int64(limits.documentMilliseconds)
        follower.sentAt = follower.sentAt.filter { $0.value + pause > now }
        for item in feed.items(after: follower.position) where messages.count < HubState.batch {
            if case .changed(let entry) = item.update, !feed.isOld(item), follows(follower, entry.name) {
                if let sentAt = follower.sentAt[entry.id] {
                    // All later updates also wait until this document may be sent again.
                    follower.stage = .live(from: sentAt + pause)
                    break
                }
                follower.sentAt[entry.id] = now
                messages.append(.document(DocumentSummary(entry, in: follower.unit)))
            } else if case .gone(let name, let epoch, let to) = item.update, follows(follower, name) {
                messages.append(gone(name, epoch, to, as: follower))
            }
            follower.position = item.number
        }
        followers[connection] = follower
        send(connection, messages)
    }

    private func gone(
        _ name: DocumentName, _ epoch: Epoch, _ to: DocumentName?, as follower: Follower
    ) -> ServerMessage {
        let known = to.flatMap { access(follower.request, to: $0) >= .read ? $0 : nil }
        return .gone(
            Gone(
                document: WireString(name.description), epoch: epoch.wire,
                reason: known == nil ? .deleted : .renamed,
                to: known.map { WireString($0.description) }, isFollowed: true))
    }

    /// Stores the epochs of documents that have a room, because epochs can change. So a `gone` message will
    /// contain the same epoch that followers have received before.
    private mutating func noteEpochs(of entries: [DocumentEntry]) {
        // `reported` has the epochs that followers know. The hub compares those of the rooms with the store.
        if sharesStore { return }
        for entry in entries { rooms[entry.id]?.epoch = entry.epoch }
    }

    private func follows(_ follower: Follower, _ name: DocumentName) -> Bool {
        name.bytes.hasPrefix(follower.prefix) && access(follower.request, to: name) >= .read
    }
}
