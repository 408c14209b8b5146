#if canImport(UIKit)
    import UIKit

    /// Draws the carets and selections of others above a text view or a text field.
    @MainActor final class CaretOverlay {
        private static let caretWidth = 2.0
        private var views: [UIView] = []

        func show(_ carets: [RemoteCaret], in host: some UIView & UITextInput) {
            for view in views { view.removeFromSuperview() }
            views = carets.flatMap { makeViews(for: $0, in: host) }
            for view in views {
                view.isUserInteractionEnabled = false
                host.addSubview(view)
            }
        }

        private func makeViews(for caret: RemoteCaret, in host: some UIView & UITextInput) -> [UIView] {
            let color = UIColor(
                red: caret.color.red, green: caret.color.green, blue: caret.color.blue, alpha: 1)
            var made: [UIView] = []
            if !caret.range.isEmpty, let range = host.range(of: caret.range) {
                made = host.selectionRects(for: range).map { rect in
                    let view = UIView(frame: rect.rect)
                    view.backgroundColor = color.withAlphaComponent(0.25)
                    return view
                }
            }
            guard let head = host.position(from: host.beginningOfDocument, offset: caret.head) else {
                return made
            }
            var frame = host.caretRect(for: head)
            frame.size.width = Self.caretWidth
            let line = UIView(frame: frame)
            line.backgroundColor = color
            let label = UILabel(frame: frame)
            label.text = " " + caret.name + " "
            label.font = UIFont.systemFont(ofSize: 10)
            label.textColor = .white
            label.backgroundColor = color
            label.sizeToFit()
            label.frame.origin.y = frame.origin.y - label.frame.size.height
            // VoiceOver reads the text, and not the labels in it.
            label.isAccessibilityElement = false
            return made + [line, label]
        }
    }

    extension UITextInput {
        /// The range of the view for a range in UTF-16 code units.
        func range(of range: Range<Int>) -> UITextRange? {
            guard let start = position(from: beginningOfDocument, offset: range.lowerBound),
                let end = position(from: beginningOfDocument, offset: range.upperBound)
            else { return nil }
            return textRange(from: start, to: end)
        }
    }
#endif
