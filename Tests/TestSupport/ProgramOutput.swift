import FoundationEssentials

extension ChildProgram {
    struct Unsuccessful: Error { let command: [String] }

    /// What a program prints, line by line, if it reads `input`. The program must end with 0.
    package static func lines(
        of command: [String], reading input: String, folder: String? = nil
    ) throws -> [Substring] {
        let files = FileManager.default.temporaryDirectory.appending(path: "caret-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: files) }
        let (question, answer) = (files.appending(path: "input"), files.appending(path: "output"))
        try Data(input.utf8).write(to: question)
        let program = try ChildProgram(
            command, folder: folder, input: .file(question.path), output: .file(answer.path))
        guard program.waitForEnd() == 0 else { throw Unsuccessful(command: command) }
        return String(decoding: try Data(contentsOf: answer), as: UTF8.self).split(separator: "\n")
    }
}
