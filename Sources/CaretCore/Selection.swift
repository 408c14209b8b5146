/// What one person has selected. The anchor is the end where the selection began. The head is the end that
/// moves.
///
/// An empty selection is a caret.
public struct Selection: Hashable, Sendable {
    public let anchor: Offset
    public let head: Offset

    public init(anchor: Offset, head: Offset) {
        self.anchor = anchor
        self.head = head
    }

    public init(caret: Offset) { self.init(anchor: caret, head: caret) }

    public var isCaret: Bool { anchor == head }
    public var start: Offset { min(anchor, head) }
    public var end: Offset { max(anchor, head) }
}
