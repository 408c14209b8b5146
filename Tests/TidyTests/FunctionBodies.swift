/// The bodies of functions, initializers, subscripts and accessors in a source, with their lengths.
struct FunctionBodies {
    struct Body: Equatable {
        let name: String
        /// The line of the opening brace.
        let line: Int
        /// The lines between the braces, without exhaustive switches whose cases are all short.
        let length: Int
    }

    private(set) var bodies: [Body] = []
    /// False if the source could not be parsed. In that case `bodies` is not reliable.
    private(set) var bracesBalance = true

    /// The most lines of a case in a long switch, including its label.
    static let shortCase = 5

    private static let accessors: Set = [
        "get", "set", "willSet", "didSet", "_read", "_modify", "read", "modify",
    ]
    private static let accessorModifiers: Set = ["mutating", "nonmutating", "borrowing", "consuming"]
    private static let otherDeclarations: Set = [
        "class", "struct", "enum", "extension", "protocol", "actor", "let", "typealias", "import",
    ]
    /// After one of these tokens, `case` begins a pattern and not a label.
    private static let patternLeaders: Set = ["if", "guard", "while", "for", ","]

    /// What an opening brace begins, if the rule needs to know it.
    private enum Owner {
        case function(String)
        case property(String)
        case choice
    }
    private struct Expectation {
        let owner: Owner
        let depth: Int
    }

    private struct Frame {
        let owner: Owner?
        let holdsAccessors: Bool
        let line: Int
        /// The declaration around this brace that has not reached its own opening brace yet.
        let outerExpectation: Expectation?
        /// The depth of parentheses in that declaration.
        let outerDepth: Int
        var labels: [Int] = []
        var hasDefault = false
        var shortSwitchLines = 0
    }

    private let tokens: [SwiftSource.Token]
    private let codeLines: Set<Int>
    private var frames: [Frame] = []
    private var expectation: Expectation?
    private var depth = 0

    init(in source: SwiftSource) {
        tokens = source.tokens
        codeLines = Set(source.tokens.flatMap(\.lines))
        for index in tokens.indices { follow(index) }
        if !frames.isEmpty { bracesBalance = false }
    }

    private func text(_ index: Int) -> String {
        tokens.indices.contains(index) ? tokens[index].text : ""
    }

    private mutating func follow(_ index: Int) {
        switch text(index) {
        case "{": open(index)
        case "}": close(index)
        case "(", "[": depth += 1
        case ")", "]": depth -= 1
        case "=": if depth == expectation?.depth, case .property = expectation?.owner { expectation = nil }
        case let word: if text(index - 1) != "." { follow(word: word, at: index) }
        }
    }

    private mutating func follow(word: String, at index: Int) {
        switch word {
        case "func": expect(.function(text(index + 1)))
        case "init", "deinit": expect(.function(word))
        case "subscript": expect(.property(word))
        case "var": expect(.property(text(index + 1)))
        case "switch": expect(.choice)
        case "case", "default": label(index)
        case _ where Self.otherDeclarations.contains(word): expectation = nil
        case _ where Self.accessors.contains(word) && isAccessor(index): expect(.function(word))
        default: break
        }
    }

    private mutating func expect(_ owner: Owner) {
        expectation = Expectation(owner: owner, depth: depth)
    }

    /// After the keyword of an accessor comes its body, the name of its argument in parentheses, or an effect
    /// such as `async`.
    private func isAccessor(_ index: Int) -> Bool {
        let isNamed = text(index + 1) == "(" && text(index + 3) == ")" && text(index + 4) == "{"
        return isNamed || ["{", "async", "throws"].contains(text(index + 1))
    }

    private mutating func label(_ index: Int) {
        guard depth == 0, let top = frames.indices.last, case .choice = frames[top].owner,
            !Self.patternLeaders.contains(text(index - 1))
        else { return }
        frames[top].labels.append(tokens[index].line)
        let catchesAll = text(index) == "default" || (text(index + 1) == "_" && text(index + 2) == ":")
        if catchesAll { frames[top].hasDefault = true }
    }

    private mutating func open(_ index: Int) {
        let isExpected = expectation?.depth == depth
        frames.append(
            Frame(
                owner: isExpected ? expectation?.owner : nil,
                holdsAccessors: beginsWithAccessor(after: index),
                line: tokens[index].line, outerExpectation: isExpected ? nil : expectation, outerDepth: depth)
        )
        expectation = nil
        depth = 0
    }

    private func beginsWithAccessor(after index: Int) -> Bool {
        var next = index + 1
        while text(next) == "@" || Self.accessorModifiers.contains(text(next)) {
            next += text(next) == "@" ? 2 : 1
        }
        return Self.accessors.contains(text(next)) && isAccessor(next)
    }

    private mutating func close(_ index: Int) {
        guard let frame = frames.popLast() else {
            bracesBalance = false
            return
        }
        expectation = frame.outerExpectation
        depth = frame.outerDepth
        let line = tokens[index].line
        let inner = max(0, line - frame.line - 1)
        if let top = frames.indices.last {
            frames[top].shortSwitchLines += isShortSwitch(frame, end: line) ? inner : frame.shortSwitchLines
        }
        guard let name = bodyName(frame) else { return }
        bodies.append(Body(name: name, line: frame.line, length: inner - frame.shortSwitchLines))
    }

    /// The name of a body. Nil for a type, a closure, a switch, or a property whose accessors are the bodies.
    private func bodyName(_ frame: Frame) -> String? {
        switch frame.owner {
        case .function(let name): name
        case .property(let name) where !frame.holdsAccessors: name
        case .property, .choice, nil: nil
        }
    }

    private func isShortSwitch(_ frame: Frame, end: Int) -> Bool {
        guard case .choice = frame.owner, !frame.hasDefault else { return false }
        return zip(frame.labels, frame.labels.dropFirst() + [end]).allSatisfy { first, next in
            (first..<next).count(where: codeLines.contains) <= Self.shortCase
        }
    }
}
