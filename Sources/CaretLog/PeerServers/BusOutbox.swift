import CaretCore

/// The notifications for the next message. A newer one replaces an older one about the same subject.
package struct BusOutbox {
    /// What a notification is about.
    private enum Subject: Hashable {
        case head(DocumentID)
        case joined(PublicPusher)
        /// A session has one document open, and what it does later replaces what it did before.
        case session(ByteString)
        case other(PeerNotification)
    }

    private var notifications: [Subject: PeerNotification] = [:]
    /// In the order in which they came, so that each run of the simulation sends the same messages.
    private var order: [Subject] = []
    /// Whether notifications were dropped, so that the other servers must look for changes themselves.
    package private(set) var hasDropped = false

    /// More notifications than this wait only if PostgreSQL is away for long.
    package static let mostNotifications = 10_000

    package init() {}

    package var isEmpty: Bool { order.isEmpty && !hasDropped }

    package mutating func add(_ new: PeerNotification) { put(new) { BusOutbox.merged($0, new) } }

    /// Adds notifications that were taken and not sent. Those that are here by now are newer.
    package mutating func putBack(_ old: [PeerNotification]) {
        for one in old { put(one) { BusOutbox.merged(one, $0) } }
    }

    /// Adds a notification, or replaces the one about the same subject.
    private mutating func put(_ one: PeerNotification, replacing: (PeerNotification) -> PeerNotification) {
        if order.count >= BusOutbox.mostNotifications {
            self = BusOutbox()
            hasDropped = true
        }
        let subject = BusOutbox.subject(of: one)
        if let known = notifications[subject] {
            notifications[subject] = replacing(known)
        } else {
            notifications[subject] = one
            order.append(subject)
        }
    }

    private static func subject(of notification: PeerNotification) -> Subject {
        switch notification {
        case .head(let document, _): .head(document)
        case .joined(let pusher, _): .joined(pusher)
        case .selected(let session): .session(session.session)
        case .left(_, let session): .session(session)
        case .changed, .revoked, .signedOut, .roster: .other(notification)
        }
    }

    private static func merged(_ old: PeerNotification, _ new: PeerNotification) -> PeerNotification {
        switch (old, new) {
        case (.head(let document, let one), .head(_, let other)): .head(document, max(one, other))
        case (.joined(let pusher, let one), .joined(_, let other)): .joined(pusher, at: max(one, other))
        default: new
        }
    }

    /// Removes and returns all notifications.
    package mutating func take() -> (notifications: [PeerNotification], hasDropped: Bool) {
        defer { self = BusOutbox() }
        return (order.compactMap { notifications[$0] }, hasDropped)
    }
}
