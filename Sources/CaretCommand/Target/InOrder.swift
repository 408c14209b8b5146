/// Sends requests concurrently, at most `ahead` of them at a time, and processes the answers in the order of
/// the requests.
func inOrder<Input: Sendable, Answer: Sendable>(
    _ inputs: [Input], ahead: Int = 8, send: @escaping @Sendable (Input) async throws -> Answer,
    receive: (Input, Answer) async throws -> Void
) async throws {
    try await withThrowingTaskGroup(of: (Int, Answer).self) { group in
        var answers: [Int: Answer] = [:]
        var sent = 0
        func sendNext() {
            guard sent < inputs.count else { return }
            let (index, input) = (sent, inputs[sent])
            group.addTask { (index, try await send(input)) }
            sent += 1
        }
        for _ in 0..<ahead { sendNext() }
        for (index, input) in inputs.enumerated() {
            while answers[index] == nil, let (number, answer) = try await group.next() {
                answers[number] = answer
                sendNext()
            }
            if let answer = answers.removeValue(forKey: index) { try await receive(input, answer) }
        }
    }
}
