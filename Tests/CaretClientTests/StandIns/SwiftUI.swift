// The parts of SwiftUI that the sources of this repository use. The signatures are from memory. Nothing here
// works: the tests only compile against it.
@_exported public import Foundation
public import Observation

#if canImport(UIKit)
    public import UIKit
#else
    public import AppKit
#endif

@MainActor public protocol View {
    associatedtype Body: View
    var body: Body { get }
}

extension Never: View {}

// The parts that contain no other views.
extension View where Body == Never {
    public var body: Never { neverRun() }
}

/// The tests only compile these declarations, so nothing can call this.
private func neverRun() -> Never { fatalError("a stand-in of SwiftUI was run") }

@MainActor @resultBuilder public struct ViewBuilder {
    public static func buildBlock<each Part: View>(_ part: repeat each Part) -> Text { Text("") }
    public static func buildIf<Part: View>(_ part: Part?) -> Text { Text("") }
    public static func buildEither<Part: View>(first part: Part) -> Part { part }
    public static func buildEither<Part: View>(second part: Part) -> Part { part }
}

public struct Text: View {
    public init(_ text: String) {}
    public typealias Body = Never
}

public struct VStack: View {
    public init<Content: View>(@ViewBuilder content: () -> Content) {}
    public typealias Body = Never
}

public struct TextField: View {
    public init(_ title: String, text: Binding<String>) {}
    public typealias Body = Never
}

extension View {
    public func padding() -> some View { self }
}

public struct Binding<Value> {}

@MainActor @propertyWrapper @dynamicMemberLookup public struct Bindable<Value: AnyObject & Observable> {
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
    public var wrappedValue: Value
    public var projectedValue: Bindable<Value> { self }
    public subscript<Subject>(dynamicMember path: ReferenceWritableKeyPath<Value, Subject>) -> Binding<
        Subject
    > {
        neverRun()
    }
}

@MainActor public protocol Scene {}

public struct WindowGroup: Scene {
    public init<Content: View>(@ViewBuilder content: () -> Content) {}
}

@MainActor public protocol App {
    associatedtype Body: Scene
    var body: Body { get }
    init()
}

extension App {
    public static func main() {}
}

public struct RepresentableContext<Coordinator> {
    public let coordinator: Coordinator
}

#if canImport(UIKit)
    @MainActor public protocol UIViewRepresentable: View where Body == Never {
        associatedtype UIViewType: UIView
        associatedtype Coordinator = Void
        typealias Context = RepresentableContext<Coordinator>
        func makeUIView(context: Context) -> UIViewType
        func updateUIView(_ view: UIViewType, context: Context)
        func makeCoordinator() -> Coordinator
    }
#else
    @MainActor public protocol NSViewRepresentable: View where Body == Never {
        associatedtype NSViewType: NSView
        associatedtype Coordinator = Void
        typealias Context = RepresentableContext<Coordinator>
        func makeNSView(context: Context) -> NSViewType
        func updateNSView(_ view: NSViewType, context: Context)
        func makeCoordinator() -> Coordinator
    }
#endif
