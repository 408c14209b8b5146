#if canImport(SwiftUI) && (canImport(UIKit) || canImport(AppKit))
    public import CaretClient
    public import SwiftUI

    /// An editor of a document for SwiftUI.
    ///
    ///     DocumentEditor(document)
    @MainActor public struct DocumentEditor {
        private let document: LiveDocument

        public init(_ document: LiveDocument) { self.document = document }

        /// Keeps the binding while SwiftUI keeps the view.
        @MainActor public final class Coordinator {
            fileprivate var binding: TextViewBinding?
            fileprivate var document: LiveDocument?

            fileprivate func show(_ document: LiveDocument, _ make: () -> TextViewBinding) {
                // SwiftUI updates a view often. A new binding would lose the caret.
                if self.document === document { return }
                self.document = document
                binding = make()
            }
        }

        public func makeCoordinator() -> Coordinator { Coordinator() }
    }

    #if canImport(UIKit)
        import UIKit

        extension DocumentEditor: UIViewRepresentable {
            public func makeUIView(context: Context) -> DocumentTextView {
                let view = DocumentTextView()
                view.font = UIFont.preferredFont(forTextStyle: .body)
                view.adjustsFontForContentSizeCategory = true
                return view
            }

            public func updateUIView(_ view: DocumentTextView, context: Context) {
                context.coordinator.show(document) { TextViewBinding(view, document) }
            }
        }
    #else
        public import AppKit

        extension DocumentEditor: NSViewRepresentable {
            public func makeNSView(context: Context) -> NSScrollView { NSTextView.scrollableTextView() }

            public func updateNSView(_ view: NSScrollView, context: Context) {
                guard let textView = view.documentView as? NSTextView else { return }
                context.coordinator.show(document) { TextViewBinding(textView, document) }
            }
        }
    #endif
#endif
