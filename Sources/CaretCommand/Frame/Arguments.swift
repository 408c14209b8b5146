/// What stood on the command line of a subcommand, as its description allows it.
package struct Given: Sendable {
    package let command: CommandDescription
    package fileprivate(set) var arguments: [String] = []
    /// Values by the names of options; of one without a value, empty texts.
    package fileprivate(set) var options: [String: [String]] = [:]

    init(_ command: CommandDescription) { self.command = command }

    mutating func add(_ argument: String) { arguments.append(argument) }

    mutating func add(_ option: Option, _ value: String) { options[option.name, default: []].append(value) }

    func has(_ option: Option) -> Bool { options[option.name] != nil }

    /// The value of an option that stands at most once.
    func text(_ option: Option) -> String? { options[option.name]?.last }

    func texts(_ option: Option) -> [String] { options[option.name] ?? [] }

    func number(_ option: Option, in range: ClosedRange<Int>) throws(UsageFault) -> Int? {
        guard let text = text(option) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw fault(.badValue(option.flag, found: text, allowed: "a whole number \(range.words)"))
        }
        return number
    }

    /// An argument that the parser has seen to be there.
    func argument(_ index: Int) -> String { arguments[index] }

    func optionalArgument(_ index: Int) -> String? {
        index < arguments.count ? arguments[index] : nil
    }

    func fault(_ problem: UsageFault.Problem) -> UsageFault { UsageFault(command: command.name, problem) }
}

extension ClosedRange<Int> {
    fileprivate var words: String {
        upperBound == Int.max ? "from \(lowerBound)" : "from \(lowerBound) to \(upperBound)"
    }
}
