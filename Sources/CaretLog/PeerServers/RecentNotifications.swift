import CaretCore

/// Notifications of the last seconds that were not sent to all servers. A server that opens a document gets them
/// afterwards: it may have read the document before they were published.
struct RecentNotifications {
    /// By slice. Those of the period before, and of this one.
    private var (before, now): ([Int: [PeerNotification]], [Int: [PeerNotification]]) = ([:], [:])
    /// The number of notifications of this period, and when it began.
    private var count = 0
    private var began: Int64 = 0
    /// The length of a period, in milliseconds.
    private let period: Int64

    /// A period with more notifications is shorter.
    private static let most = 10_000

    init(period: Int64) { self.period = period }

    /// Adds a notification. Selections are not kept, because a room that opens asks for them. But they show that the session
    /// has not left, or has come back.
    mutating func add(_ new: PeerNotification, in slice: Int, at time: Int64) {
        forgetOld(at: time)
        let subject = new.subject
        if case .selected = new { return forget(subject, in: slice) }
        let index = now[slice]?.firstIndex { $0.subject == subject }
        if let index, let old = now[slice]?[index] {
            now[slice]?[index] = old.merged(with: new)
        } else {
            now[slice, default: []].append(new)
            count += 1
        }
    }

    private mutating func forget(_ subject: PeerNotification.Subject, in slice: Int) {
        if now[slice] != nil { now[slice]?.removeAll { $0.subject == subject } }
        if before[slice] != nil { before[slice]?.removeAll { $0.subject == subject } }
    }

    mutating func forgetOld(at time: Int64) {
        guard time >= began + period || count >= RecentNotifications.most else { return }
        before = time >= began + 2 * period ? [:] : now
        (now, count, began) = ([:], 0, time)
    }

    /// The notifications about documents of these slices, the oldest first.
    func notifications(in slices: DocumentSlices) -> [PeerNotification] {
        if before.isEmpty, now.isEmpty { return [] }
        return slices.slices.flatMap { (before[$0] ?? []) + (now[$0] ?? []) }
    }
}
