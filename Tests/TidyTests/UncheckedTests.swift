import Testing

/// A file that may disable a check for data races, how often, and why that is safe.
struct UncheckedPromise {
    let path: String
    let count: Int
    let reason: String

    static let caret = [
        UncheckedPromise(
            path: "Sources/CaretConcurrency/Confined.swift", count: 1,
            reason: "a value that only its confinement touches, which every access checks"),
        UncheckedPromise(
            path: "Sources/CaretCore/Chunk.swift", count: 1,
            reason: "copy-on-write bytes, written only while uniquely referenced"),
        UncheckedPromise(
            path: "Sources/CaretServer/Net/Payload.swift", count: 1,
            reason: "bytes that are written before anybody else has the reference, and never again"),
    ]

    /// The shells require Sendable values. A simulated server has one thread.
    static let simulation = [
        ("SimulatedExecutor", 2), ("Onlooker", 1), ("ServerLife", 1), ("SimulatedPort", 1), ("World", 1),
        ("WorldServer", 2),
    ].map { name, count in
        UncheckedPromise(
            path: "Tests/ScenarioTests/World/\(name).swift", count: count,
            reason: "a run of the simulation has one thread")
    }

    private static let spellings = [["@", "unchecked"], ["nonisolated", "(", "unsafe", ")"]]

    /// Files that disable more or fewer checks than the list says.
    static func violations(in files: [RepositoryFile], allowing list: [UncheckedPromise]) -> [Violation] {
        let found = Dictionary(uniqueKeysWithValues: files.map { ($0.path, lines(in: $0)) })
        let allowed = Dictionary(uniqueKeysWithValues: list.map { ($0.path, $0.count) })
        return Set(found.keys).union(allowed.keys).sorted().compactMap { path in
            let lines = found[path] ?? []
            let count = allowed[path] ?? 0
            guard lines.count != count else { return nil }
            let reason = "\(lines.count) unchecked promises to the compiler where the list has \(count)"
            return Violation(path: path, line: lines.last ?? 1, reason: reason)
        }
    }

    private static func lines(in file: RepositoryFile) -> [Int] {
        let source = SwiftSource(file.text)
        return spellings.flatMap { source.lines(of: $0) }.sorted()
    }
}

@Suite("unchecked promises")
struct UncheckedTests {
    private static let promise = "final class Box: @unchecked Sendable {}"

    @Test("the checks of data races are switched off only where the list says, with its reason")
    func promisesMatchList() throws {
        let files = try Repository.swiftFiles()
        expectNone(
            UncheckedPromise.violations(
                in: files, allowing: UncheckedPromise.caret + UncheckedPromise.simulation))
        #expect(UncheckedPromise.caret.allSatisfy { !$0.reason.isEmpty })
    }

    @Test(
        "a promise that is not on the list is found",
        arguments: [promise, "nonisolated(unsafe) var box = 1"])
    func unlistedPromise(text: String) {
        let files = [RepositoryFile(path: "Box.swift", text: text)]
        #expect(UncheckedPromise.violations(in: files, allowing: []).count == 1)
    }

    @Test("a listed promise that is no longer made is found")
    func stalePromise() {
        let list = [UncheckedPromise(path: "Box.swift", count: 1, reason: "a test")]
        let files = [RepositoryFile(path: "Box.swift", text: "// \(Self.promise)")]
        #expect(UncheckedPromise.violations(in: files, allowing: list).count == 1)
        #expect(UncheckedPromise.violations(in: [], allowing: list).count == 1)
    }
}
