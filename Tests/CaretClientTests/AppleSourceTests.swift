import Foundation
import TestSupport
import Testing

/// There is no Apple compiler in the checks. So the compiler of Linux checks the files for Apple's systems
/// against modules that declare the parts of Apple's frameworks that these files use.
@Suite("The files for Apple's systems") struct AppleSourceTests {
    private static let repository = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    private static let flags = [
        "-swift-version", "6", "-enable-upcoming-feature", "ExistentialAny", "-enable-upcoming-feature",
        "MemberImportVisibility", "-enable-upcoming-feature", "InternalImportsByDefault", "-parse-as-library",
        // The Swift Package Manager names a package after its folder.
        "-package-name", repository.lastPathComponent.lowercased(),
    ]
    /// The module map of OpenSSL, which the modules of the client mention.
    private static let openSSL = [
        "-Xcc", "-fmodule-map-file=" + repository.appending(path: "Sources/COpenSSL/module.modulemap").path,
    ]
    /// Where the build put the modules of this package.
    private static let modules = ChildProgram.path(of: "Modules")

    @Test(
        "they compile against stand-ins of Apple's frameworks",
        arguments: [["UIKit", "SwiftUI"], ["AppKit", "SwiftUI"]])
    func compile(frameworks: [String]) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "caret-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // If the removal fails, the files stay in the system's temporary folder. This harms no test.
        defer { try? FileManager.default.removeItem(at: folder) }
        let standIns = Self.repository.appending(path: "Tests/CaretClientTests/StandIns")
        for framework in frameworks {
            let source = standIns.appending(path: framework + ".swift").path
            let module = folder.appending(path: framework + ".swiftmodule").path
            try compile(
                ["-emit-module", "-emit-module-path", module, "-module-name", framework, source], folder)
        }
        let views = try files(in: "Sources/CaretViews")
        #expect(views.count > 5)
        let module = folder.appending(path: "CaretViews.swiftmodule").path
        try compile(
            ["-emit-module", "-emit-module-path", module, "-module-name", "CaretViews"] + views, folder)
        let example = try files(in: "Examples/swiftui")
        try compile(["-typecheck", "-module-name", "Example"] + example, folder)
    }

    private func files(in folder: String) throws -> [String] {
        let root = Self.repository.appending(path: folder)
        return try FileManager.default.subpathsOfDirectory(atPath: root.path)
            .filter { $0.hasSuffix(".swift") && $0 != "Package.swift" }.map { root.appending(path: $0).path }
    }

    private func compile(_ arguments: [String], _ folder: URL) throws {
        let command =
            ["swiftc", "-I", folder.path, "-I", Self.modules] + Self.flags + Self.openSSL + arguments
        let compiler = try ChildProgram(command, errors: .pipe)
        let errors = compiler.remainingErrors().split(separator: "\n").filter { $0.contains("error:") }
        #expect(compiler.waitForEnd() == 0, "\(errors.prefix(20).joined(separator: "\n"))")
    }
}
