import CaretCore

/// The slices whose news this server needs, and what the others were told of that.
struct BusNeeds {
    /// How many documents of each slice are open.
    private var open: [Int: Int] = [:]
    private var needsAll = false
    /// What the others know, or will know after the messages that are on their way.
    private var told = DocumentSlices.none
    /// What they must be told now.
    private var new = DocumentSlices.none
    private(set) var hasNew = false

    /// Returns true if the others must be told.
    mutating func opened(_ document: DocumentID) -> Bool {
        let slice = DocumentSlices.slice(of: document)
        open[slice, default: 0] += 1
        return tell(DocumentSlices([slice]))
    }

    mutating func closed(_ document: DocumentID) {
        let slice = DocumentSlices.slice(of: document)
        let count = open[slice] ?? 0
        precondition(count > 0, "a document is closed that was not opened")
        open[slice] = count > 1 ? count - 1 : nil
    }

    mutating func needAll(_ all: Bool) -> Bool {
        needsAll = all
        return all && tell(.all)
    }

    private mutating func tell(_ slices: DocumentSlices) -> Bool {
        let untold = slices.subtracting(told)
        if untold.isEmpty { return false }
        let isFirst = !hasNew
        new.formUnion(untold)
        hasNew = true
        return isFirst
    }

    /// What a message to all says of the needs. A beat says all of them, so that a need that has ended is forgotten.
    mutating func words(isBeat: Bool, asks: Bool) -> [BusMessage.Word] {
        defer { (new, hasNew) = (.none, false) }
        if isBeat {
            told = needsAll ? .all : DocumentSlices(open.keys)
            return [.needs(told)] + (asks ? [.asksForNeeds] : [])
        }
        told.formUnion(new)
        return hasNew ? [.needsToo(new)] : []
    }
}
