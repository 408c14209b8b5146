import Foundation
import TestSupport
import Testing

@Suite("The imports of the Swift guide") struct GuideImportTests {
    private static let repository = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// `GuideTests` runs every line, but with the imports of that file.
    @Test("the program of the guide compiles with the imports that it names")
    func imports() throws {
        let text = try String(
            contentsOf: Self.repository.appending(path: "docs/client.md"), encoding: .utf8)
        let blocks = MarkdownPage(text).blocks.filter {
            $0.language == "swift" && !$0.lines.contains("import PackageDescription")
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "caret-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // If the removal fails, the files stay in the system's temporary folder. This harms no test.
        defer { try? FileManager.default.removeItem(at: folder) }
        let program = folder.appending(path: "main.swift")
        try Data(blocks.flatMap(\.lines).map { $0 + "\n" }.joined().utf8).write(to: program)
        let openSSL = Self.repository.appending(path: "Sources/COpenSSL/module.modulemap").path
        let compiler = try ChildProgram(
            [
                "swiftc", "-typecheck", "-swift-version", "6", "-I", ChildProgram.path(of: "Modules"),
                "-Xcc", "-fmodule-map-file=" + openSSL, program.path,
            ], errors: .pipe)
        let errors = compiler.remainingErrors().split(separator: "\n").filter { $0.contains("error:") }
        #expect(compiler.waitForEnd() == 0, "\(errors.prefix(20).joined(separator: "\n"))")
    }
}
