package import CaretCore

/// The output of a difference: the format of `patch`, with colours on a terminal.
package struct DiffPage {
    package let text: String

    package init(_ patch: Patch, style: Style, isForUsers: Bool) {
        text = patch.lines.reduce(into: "") { text, line in
            for piece in line {
                let shown = isForUsers ? piece.text.printable : piece.text
                text += piece.kind.paint.map { style.painted(shown, $0) } ?? shown
            }
            text += "\n"
        }
    }
}

extension Patch.Piece.Kind {
    fileprivate var paint: Style.Paint? {
        switch self {
        case .title: .heading
        case .location: .location
        case .kept, .remark: nil
        case .removed: .removed
        case .inserted: .inserted
        case .removedPart: .removedMark
        case .insertedPart: .insertedMark
        }
    }
}
