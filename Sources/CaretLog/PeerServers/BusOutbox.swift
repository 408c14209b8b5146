import CaretCore

/// The notifications for the next message. A newer one replaces an older one about the same subject.
package struct BusOutbox {
    private var notifications: [PeerNotification.Subject: PeerNotification] = [:]
    /// In the order in which they came, so that each run of the simulation sends the same messages.
    private var order: [PeerNotification.Subject] = []
    /// Whether notifications were dropped, so that the other servers must look for changes themselves.
    package private(set) var hasDropped = false

    /// More notifications than this wait only if PostgreSQL is away for long.
    package static let mostNotifications = 10_000

    package init() {}

    package var isEmpty: Bool { order.isEmpty && !hasDropped }

    package mutating func add(_ new: PeerNotification) { put(new) { $0.merged(with: new) } }

    func contains(_ subject: PeerNotification.Subject) -> Bool { notifications[subject] != nil }

    /// Adds earlier notifications. Those that are here by now are newer.
    package mutating func putBack(_ old: [PeerNotification]) {
        for one in old { put(one) { one.merged(with: $0) } }
    }

    /// Adds a notification, or replaces the one about the same subject.
    private mutating func put(_ one: PeerNotification, replacing: (PeerNotification) -> PeerNotification) {
        if order.count >= BusOutbox.mostNotifications {
            self = BusOutbox()
            hasDropped = true
        }
        let subject = one.subject
        if let known = notifications[subject] {
            notifications[subject] = replacing(known)
        } else {
            notifications[subject] = one
            order.append(subject)
        }
    }

    /// Removes and returns all notifications.
    package mutating func take() -> (notifications: [PeerNotification], hasDropped: Bool) {
        defer { self = BusOutbox() }
        return (order.compactMap { notifications[$0] }, hasDropped)
    }
}

extension PeerNotification {
    /// What a notification is about. A newer one about the same subject replaces it.
    package enum Subject: Hashable {
        case head(DocumentID)
        case joined(PublicPusher)
        /// A session has one document open, and what it does later replaces what it did before.
        case session(ByteString)
        case other(PeerNotification)
    }

    var subject: Subject {
        switch self {
        case .head(let document, _): .head(document)
        case .joined(let pusher, _): .joined(pusher)
        case .selected(let session): .session(session.session)
        case .left(_, let session): .session(session)
        case .changed, .revoked, .signedOut, .roster: .other(self)
        }
    }

    /// What replaces this notification if `new` is a newer one about the same subject.
    func merged(with new: PeerNotification) -> PeerNotification {
        switch (self, new) {
        case (.head(let document, let one), .head(_, let other)): .head(document, max(one, other))
        case (.joined(let pusher, let one), .joined(_, let other)): .joined(pusher, at: max(one, other))
        default: new
        }
    }

    /// The document whose news this is. Only servers that have the document open need it. Nil if all servers need it.
    package var document: DocumentID? {
        switch self {
        case .head(let document, _), .changed(let document), .left(let document, _), .roster(let document):
            document
        case .selected(let session): session.document
        case .revoked, .signedOut, .joined: nil
        }
    }
}
