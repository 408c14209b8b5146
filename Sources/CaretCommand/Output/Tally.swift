/// The outcomes of an export or import of many documents.
struct Tally: Sendable {
    var done = 0
    var unchanged = 0
    private var leftAlone: [(name: String, reason: String)] = []

    var all: Int { done + unchanged + leftAlone.count }

    mutating func leaveAlone(_ name: String, _ reason: String) { leftAlone.append((name, reason)) }

    /// Reports each skipped item on standard error. Returns `.failed` if an item was skipped.
    func show(in context: CommandContext, _ word: String) -> ExitCode {
        for (name, reason) in leftAlone {
            context.warn(Failure("\(name.printable): left alone: \(reason.printable)"))
        }
        if context.isJSON {
            let names = leftAlone.map { name, reason in
                JSON.object(["name": .text(name), "reason": .text(reason)])
            }
            context.show(
                .object([
                    (word, .number(done)), ("unchanged", .number(unchanged)), ("left_alone", .list(names)),
                ]))
        } else {
            context.output.write("\(done) \(word), \(unchanged) unchanged, \(leftAlone.count) left alone\n")
        }
        return leftAlone.isEmpty ? .done : .failed
    }
}
