import Testing

/// A file that may disable a check for data races, how often, and why that is safe.
struct AllowedUnchecked {
    let path: String
    let count: Int
    let reason: String

    static let caret = [
        AllowedUnchecked(
            path: "Sources/CaretConcurrency/Confined.swift", count: 1,
            reason: "every access checks that it is on the right queue, loop or turn"),
        AllowedUnchecked(
            path: "Sources/CaretCore/Chunk.swift", count: 1,
            reason: "copy-on-write bytes, written only while uniquely referenced"),
        AllowedUnchecked(
            path: "Sources/CaretRooms/Connection/Payload.swift", count: 1,
            reason: "the bytes are written before the reference is shared, and never again"),
        AllowedUnchecked(
            path: "Sources/CaretWasm/ReplicaTable.swift", count: 1,
            reason: "a WebAssembly instance has one thread"),
        AllowedUnchecked(
            path: "Tests/TestSupport/TLSTunnel.swift", count: 1,
            reason: "after `open`, only the tunnel's thread uses it"),
    ]

    /// The simulation runs server code, which requires Sendable values. Its classes may disable the check,
    /// because a simulated server has only one thread.
    static let simulation = [
        ("SimulatedExecutor", 2), ("Observer", 1), ("ServerRun", 1), ("SimulatedPort", 1), ("World", 1),
        ("WorldNodes", 1), ("WorldServer", 2),
    ].map { name, count in
        AllowedUnchecked(
            path: "Tests/ScenarioTests/World/\(name).swift", count: count,
            reason: "a run of the simulation has one thread")
    }

    private static let spellings = [["@", "unchecked"], ["nonisolated", "(", "unsafe", ")"]]

    /// Files that disable more or fewer checks than the list says.
    static func violations(in files: [RepositoryFile], allowing list: [AllowedUnchecked]) -> [Violation] {
        let found = Dictionary(uniqueKeysWithValues: files.map { ($0.path, lines(in: $0)) })
        let allowed = Dictionary(uniqueKeysWithValues: list.map { ($0.path, $0.count) })
        return Set(found.keys).union(allowed.keys).sorted().compactMap { path in
            let lines = found[path] ?? []
            let count = allowed[path] ?? 0
            guard lines.count != count else { return nil }
            let reason = "\(lines.count) disabled checks, but the list allows \(count)"
            return Violation(path: path, line: lines.last ?? 1, reason: reason)
        }
    }

    private static func lines(in file: RepositoryFile) -> [Int] {
        let source = SwiftSource(file.text)
        return spellings.flatMap { source.lines(of: $0) }.sorted()
    }
}

@Suite("Disabled data race checks")
struct UncheckedTests {
    private static let promise = "final class Box: @unchecked Sendable {}"

    @Test("data race checks are disabled only where the list says, with a reason")
    func promisesMatchList() throws {
        let files = try Repository.swiftFiles()
        expectNone(
            AllowedUnchecked.violations(
                in: files, allowing: AllowedUnchecked.caret + AllowedUnchecked.simulation))
        #expect(AllowedUnchecked.caret.allSatisfy { !$0.reason.isEmpty })
    }

    @Test(
        "a disabled check that is not on the list is found",
        arguments: [promise, "nonisolated(unsafe) var box = 1"])
    func unlistedPromise(text: String) {
        let files = [RepositoryFile(path: "Box.swift", text: text)]
        #expect(AllowedUnchecked.violations(in: files, allowing: []).count == 1)
    }

    @Test("an entry of the list is found if its file has no disabled check")
    func stalePromise() {
        let list = [AllowedUnchecked(path: "Box.swift", count: 1, reason: "a test")]
        let files = [RepositoryFile(path: "Box.swift", text: "// \(Self.promise)")]
        #expect(AllowedUnchecked.violations(in: files, allowing: list).count == 1)
        #expect(AllowedUnchecked.violations(in: [], allowing: list).count == 1)
    }
}
