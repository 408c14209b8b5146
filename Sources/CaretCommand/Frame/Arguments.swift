/// The parsed arguments of one subcommand. The parser has checked them against the subcommand's description.
package struct Arguments: Sendable {
    package let command: CommandDescription
    /// The arguments that are not options, in order.
    package fileprivate(set) var positional: [String] = []
    /// The values of each option by its name. An option that takes no value has an empty string for each use.
    package fileprivate(set) var options: [String: [String]] = [:]

    init(_ command: CommandDescription) { self.command = command }

    mutating func add(_ argument: String) { positional.append(argument) }

    mutating func add(_ option: Option, _ value: String) { options[option.name, default: []].append(value) }

    func has(_ option: Option) -> Bool { options[option.name] != nil }

    /// The value of an option that can be given only once.
    func text(_ option: Option) -> String? { options[option.name]?.last }

    func texts(_ option: Option) -> [String] { options[option.name] ?? [] }

    func number(_ option: Option, in range: ClosedRange<Int>) throws(UsageFault) -> Int? {
        guard let text = text(option) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw fault(.badValue(option.flag, found: text, expected: "a whole number \(range.words)"))
        }
        return number
    }

    /// A required argument. The parser has checked that the argument is present.
    func required(_ index: Int) -> String { positional[index] }

    func optional(_ index: Int) -> String? {
        index < positional.count ? positional[index] : nil
    }

    func fault(_ problem: UsageFault.Problem) -> UsageFault { UsageFault(command: command.name, problem) }
}

extension ClosedRange<Int> {
    fileprivate var words: String {
        upperBound == Int.max ? "from \(lowerBound)" : "from \(lowerBound) to \(upperBound)"
    }
}
