// The parts of AppKit that the sources of this repository use. The signatures are from memory. Nothing here
// works: the tests only compile against it.
@_exported public import Foundation

@MainActor open class UndoManager: NSObject {
    public override nonisolated init() { super.init() }
    open var canUndo: Bool { false }
    open var canRedo: Bool { false }
    open func undo() {}
    open func redo() {}
    open func disableUndoRegistration() {}
}

public final class NSColor: Sendable {
    public init(srgbRed red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {}
    public func withAlphaComponent(_ alpha: CGFloat) -> NSColor { self }
    public static let white = NSColor(srgbRed: 1, green: 1, blue: 1, alpha: 1)
}

public final class NSFont: Sendable {
    public static func systemFont(ofSize size: CGFloat) -> NSFont { NSFont() }
}

@MainActor open class NSWindow: NSObject {
    public func convertFromScreen(_ rect: NSRect) -> NSRect { rect }
}

@MainActor open class NSView: NSObject {
    public init(frame: NSRect = .zero) { self.frame = frame }
    open var frame: NSRect
    open var window: NSWindow? { nil }
    open func addSubview(_ view: NSView) {}
    open func removeFromSuperview() {}
    open func convert(_ rect: NSRect, from view: NSView?) -> NSRect { rect }
    open func setAccessibilityElement(_ isElement: Bool) {}
}

@MainActor public final class NSBox: NSView {
    public enum BoxType: Sendable { case custom }
    public var boxType = BoxType.custom
    public var borderWidth: CGFloat = 0
    public var fillColor = NSColor.white
}

@MainActor public final class NSTextField: NSView {
    public convenience init(labelWithString text: String) { self.init(frame: .zero) }
    public var font: NSFont?
    public var textColor: NSColor?
    public var drawsBackground = false
    public var backgroundColor: NSColor?
    public func sizeToFit() {}
}

@MainActor open class NSScrollView: NSView {
    public var documentView: NSView?
}

public struct NSTextStorageEditActions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let editedCharacters = NSTextStorageEditActions(rawValue: 2)
}

open class NSTextStorage: NSMutableAttributedString {
    public weak var delegate: (any NSTextStorageDelegate)?
    public var editedMask: NSTextStorageEditActions { [] }
}

public protocol NSTextStorageDelegate: NSObjectProtocol {
    func textStorage(
        _ textStorage: NSTextStorage, didProcessEditing editedMask: NSTextStorageEditActions,
        range editedRange: NSRange, changeInLength delta: Int)
}

@MainActor public protocol NSTextViewDelegate: NSObjectProtocol {
    func textDidChange(_ notification: Notification)
    func textViewDidChangeSelection(_ notification: Notification)
    func undoManager(for view: NSTextView) -> UndoManager?
}

@MainActor open class NSTextView: NSView {
    public static func scrollableTextView() -> NSScrollView { NSScrollView() }
    public weak var delegate: (any NSTextViewDelegate)?
    public var string = ""
    public var textStorage: NSTextStorage? { nil }
    public var typingAttributes: [NSAttributedString.Key: Any] = [:]
    public func hasMarkedText() -> Bool { false }
    public func selectedRange() -> NSRange { NSRange() }
    public func setSelectedRange(_ range: NSRange) {}
    public func firstRect(forCharacterRange range: NSRange, actualRange: NSRangePointer?) -> NSRect { .zero }
}
