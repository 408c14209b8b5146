// The parts of UIKit that the sources of this repository use. The signatures are from memory. Nothing here
// works: the tests only compile against it.
@_exported public import Foundation

@MainActor public final class UIAction {
    public init(handler: @escaping @MainActor (UIAction) -> Void) {}
}

@MainActor open class UndoManager: NSObject {
    public override nonisolated init() { super.init() }
    open var canUndo: Bool { false }
    open var canRedo: Bool { false }
    open func undo() {}
    open func redo() {}
    open func disableUndoRegistration() {}
}

@MainActor open class UIResponder: NSObject {
    public override nonisolated init() { super.init() }
    open var undoManager: UndoManager? { nil }
}

@MainActor open class UIView: UIResponder {
    public init(frame: CGRect = .zero) { self.frame = frame }
    open var frame: CGRect
    open var backgroundColor: UIColor?
    open var isUserInteractionEnabled = true
    open var isAccessibilityElement = true
    open func addSubview(_ view: UIView) {}
    open func removeFromSuperview() {}
    open func sizeToFit() {}
}

@MainActor public final class UILabel: UIView {
    public var text: String?
    public var font: UIFont?
    public var textColor: UIColor?
}

public final class UIColor: Sendable {
    public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {}
    public func withAlphaComponent(_ alpha: CGFloat) -> UIColor { self }
    public static let white = UIColor(red: 1, green: 1, blue: 1, alpha: 1)
}

public final class UIFont: Sendable {
    public enum TextStyle: Sendable { case body }
    public static func systemFont(ofSize size: CGFloat) -> UIFont { UIFont() }
    @MainActor public static func preferredFont(forTextStyle style: TextStyle) -> UIFont { UIFont() }
}

public class UITextPosition: NSObject {}
public class UITextRange: NSObject {
    public var start: UITextPosition { UITextPosition() }
    public var end: UITextPosition { UITextPosition() }
}
@MainActor public class UITextSelectionRect: NSObject {
    public var rect: CGRect { .zero }
}

@MainActor public protocol UITextInput: AnyObject {
    var beginningOfDocument: UITextPosition { get }
    var markedTextRange: UITextRange? { get }
    var selectedTextRange: UITextRange? { get set }
    func position(from position: UITextPosition, offset: Int) -> UITextPosition?
    func offset(from: UITextPosition, to: UITextPosition) -> Int
    func textRange(from: UITextPosition, to: UITextPosition) -> UITextRange?
    func caretRect(for position: UITextPosition) -> CGRect
    func selectionRects(for range: UITextRange) -> [UITextSelectionRect]
}

extension UITextInput {
    public var beginningOfDocument: UITextPosition { UITextPosition() }
    public var markedTextRange: UITextRange? { nil }
    public func position(from position: UITextPosition, offset: Int) -> UITextPosition? { nil }
    public func offset(from: UITextPosition, to: UITextPosition) -> Int { 0 }
    public func textRange(from: UITextPosition, to: UITextPosition) -> UITextRange? { nil }
    public func caretRect(for position: UITextPosition) -> CGRect { .zero }
    public func selectionRects(for range: UITextRange) -> [UITextSelectionRect] { [] }
}

open class NSTextStorage: NSMutableAttributedString {
    public struct EditActions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let editedCharacters = EditActions(rawValue: 2)
    }
    public weak var delegate: (any NSTextStorageDelegate)?
    public var editedMask: EditActions { [] }
}

public protocol NSTextStorageDelegate: NSObjectProtocol {
    func textStorage(
        _ textStorage: NSTextStorage, didProcessEditing editedMask: NSTextStorage.EditActions,
        range editedRange: NSRange, changeInLength delta: Int)
}

@MainActor public protocol UITextViewDelegate: NSObjectProtocol {
    func textViewDidChange(_ textView: UITextView)
    func textViewDidChangeSelection(_ textView: UITextView)
}

@MainActor open class UITextView: UIView, UITextInput {
    public weak var delegate: (any UITextViewDelegate)?
    public var text: String!
    public var font: UIFont?
    public var adjustsFontForContentSizeCategory = false
    public var selectedRange = NSRange()
    public var typingAttributes: [NSAttributedString.Key: Any] = [:]
    public let textStorage = NSTextStorage(string: "")
    public var selectedTextRange: UITextRange?
}

@MainActor open class UITextField: UIView, UITextInput {
    public struct Event: Sendable { public static let editingChanged = Event() }
    public var text: String?
    public func addAction(_ action: UIAction, for event: Event) {}
    public var selectedTextRange: UITextRange?
}
