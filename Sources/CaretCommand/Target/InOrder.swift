/// Asks for many things, some ahead of the one that is taken next, and takes the answers in the order of the questions.
func inOrder<Question: Sendable, Answer: Sendable>(
    _ questions: [Question], ahead: Int = 8, ask: @escaping @Sendable (Question) async throws -> Answer,
    take: (Question, Answer) async throws -> Void
) async throws {
    try await withThrowingTaskGroup(of: (Int, Answer).self) { group in
        var answers: [Int: Answer] = [:]
        var asked = 0
        func askNext() {
            guard asked < questions.count else { return }
            let (index, question) = (asked, questions[asked])
            group.addTask { (index, try await ask(question)) }
            asked += 1
        }
        for _ in 0..<ahead { askNext() }
        for (index, question) in questions.enumerated() {
            while answers[index] == nil, let (number, answer) = try await group.next() {
                answers[number] = answer
                askNext()
            }
            if let answer = answers.removeValue(forKey: index) { try await take(question, answer) }
        }
    }
}
