/// The style of the output: coloured or plain.
package struct Style: Equatable, Sendable {
    enum Paint: String, Sendable {
        case heading = "1"
        case faint = "2"
        case location = "36"
        case revision = "33"
        case removed = "31"
        case inserted = "32"
        case removedMark = "31;7"
        case insertedMark = "32;7"
        case found = "1;31"
    }

    package let isColored: Bool

    package init(isColored: Bool) {
        self.isColored = isColored
    }

    package static let plain = Style(isColored: false)

    func painted(_ text: String, _ paint: Paint) -> String {
        isColored && !text.isEmpty ? "\u{1B}[\(paint.rawValue)m\(text)\u{1B}[0m" : text
    }
}
