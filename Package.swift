// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

/// For tests that only call what is optimized: compiling them takes half as long, and running them no longer.
let unoptimized = strict + [.unsafeFlags(["-Onone"], .when(configuration: .release))]

/// `scripts/package` and the Dockerfile set this variable, so that `--version` can name the commit.
let commit = Context.environment["CARET_COMMIT"] ?? ""

let package = Package(
    name: "caret",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "CaretCore", targets: ["CaretCore"]),
        .library(name: "CaretReplica", targets: ["CaretReplica"]),
        .library(name: "CaretClient", targets: ["CaretClient"]),
        .library(name: "CaretViews", targets: ["CaretViews"]),
        // For the package in `Benchmarks` alone. What its targets depend on comes with them: `CSQLite` and `CZlib`, which
        // no product may hold beside other targets.
        .library(
            name: "CaretInternals",
            targets: [
                "CLinux", "CaretConfig", "CaretCore", "CaretFormat", "CaretLog", "CaretRooms", "CaretServer",
                "CaretStore", "CaretTLS", "CaretWeb", "CaretWire", "TestSupport",
            ]),
    ],
    targets: [
        .target(name: "CaretCore", swiftSettings: strict),
        .target(name: "CaretLog", dependencies: ["CaretCore"], swiftSettings: strict),
        .target(
            name: "CaretFormat",
            dependencies: ["COpenSSL", "CZlib", "CaretConcurrency", "CaretCore", "CaretLog"],
            swiftSettings: strict),
        .target(name: "CaretWire", dependencies: ["CaretCore"], swiftSettings: strict),
        .target(name: "CaretConfig", dependencies: ["CBuild", "CaretWire"], swiftSettings: strict),
        .target(name: "CaretReplica", dependencies: ["CaretCore", "CaretWire"], swiftSettings: strict),
        .target(name: "CaretConcurrency", swiftSettings: strict),
        .target(
            name: "CaretClient",
            dependencies: [
                "CaretConcurrency", "CaretCore", "CaretReplica",
                // On Apple's systems, Network.framework has TLS.
                .target(name: "CaretTLS", condition: .when(platforms: [.linux])), "CaretWire",
            ],
            swiftSettings: strict),
        .target(name: "CaretViews", dependencies: ["CaretClient", "CaretCore"], swiftSettings: strict),
        .target(
            name: "CaretCommand",
            dependencies: [
                "CLinux", "CZlib", "CaretClient", "CaretConfig", "CaretCore", "CaretFormat", "CaretLog",
                "CaretPostgres", "CaretReplica", "CaretRooms", "CaretServer", "CaretSignIn", "CaretStore",
                "CaretSync", "CaretWire",
            ],
            swiftSettings: strict),
        .target(
            name: "CaretSync",
            dependencies: ["CLinux", "CaretClient", "CaretCore", "CaretLog", "CaretWire"],
            swiftSettings: strict),
        .target(
            name: "CaretServer",
            dependencies: [
                "CLinux", "COpenSSL", "CZlib", "CaretConcurrency", "CaretConfig", "CaretCore", "CaretFormat",
                "CaretLog", "CaretPage", "CaretRooms", "CaretTLS", "CaretWeb", "CaretWire",
            ],
            swiftSettings: strict),
        .target(
            name: "CaretRooms", dependencies: ["CaretCore", "CaretLog", "CaretWire"], swiftSettings: strict),
        .target(
            name: "CaretStore",
            dependencies: [
                "CLinux", "COpenSSL", "CSQLite", "CZlib", "CaretConcurrency", "CaretCore", "CaretFormat",
                "CaretLog",
            ],
            exclude: ["migrations/postgres"], resources: [.embedInCode("migrations")], swiftSettings: strict),
        .target(
            name: "CaretPostgres",
            dependencies: [
                "CLinux", "COpenSSL", "CPostgres", "CaretConcurrency", "CaretCore", "CaretFormat", "CaretLog",
            ],
            resources: [.embedInCode("migrations")], swiftSettings: strict),
        .target(
            name: "CaretWasm",
            dependencies: ["CaretCore", "CaretReplica", "CaretWire"],
            exclude: ["runtime.c"],
            swiftSettings: strict
        ),
        .target(
            name: "CaretPage", exclude: ["bundle", "bundle.made-by", "page"]),
        .target(
            name: "CaretWeb", dependencies: ["CaretCore", "CaretLog", "CaretRooms", "CaretWire"],
            swiftSettings: strict),
        .target(name: "CaretTLS", dependencies: ["COpenSSL"], swiftSettings: strict),
        .target(
            name: "CaretSignIn", dependencies: ["COpenSSL", "CaretLog", "CaretTLS", "CaretWire"],
            swiftSettings: strict),
        .executableTarget(
            name: "caretd",
            dependencies: [
                "CaretConfig", "CaretCore", "CaretFormat", "CaretLog", "CaretPostgres", "CaretRooms",
                "CaretServer", "CaretSignIn", "CaretStore", "CaretTLS", "CaretWeb", "CaretWire",
            ],
            swiftSettings: strict),
        .executableTarget(name: "caret", dependencies: ["CaretCommand"], swiftSettings: strict),
        .target(name: "CBuild", cSettings: [.define("CARET_COMMIT", to: "\"\(commit)\"")]),
        .target(name: "CLinux"),
        .systemLibrary(name: "COpenSSL", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CPostgres", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        .target(
            name: "TestSupport",
            dependencies: [
                "CLinux", "CaretCore", "CaretLog", "CaretRooms", "CaretTLS", "CaretWire", "CZlib",
            ],
            path: "Tests/TestSupport",
            swiftSettings: strict),
        .executableTarget(
            name: "store-writer", dependencies: ["CaretCore", "CaretLog", "CaretStore", "TestSupport"],
            path: "Tests/StoreWriter", swiftSettings: strict),
        .executableTarget(
            name: "client-writer", dependencies: ["CaretClient", "CaretCore"],
            path: "Tests/ClientWriter", swiftSettings: strict),
        .executableTarget(
            name: "terminal-notes", dependencies: ["CaretClient"], path: "Examples/terminal",
            exclude: ["README.md"], swiftSettings: strict),
        .executableTarget(
            name: "websocket-echo", dependencies: ["CaretServer", "CaretWeb"],
            path: "Tests/WebSocketEcho", swiftSettings: strict),
        .target(name: "CFaultVFS", dependencies: ["CSQLite"], path: "Tests/CFaultVFS"),
        .executableTarget(
            name: "store-faults",
            dependencies: ["CFaultVFS", "CaretCore", "CaretFormat", "CaretLog", "CaretStore", "TestSupport"],
            path: "Tests/StoreFaults", swiftSettings: strict),
        .testTarget(
            name: "CaretCommandTests",
            dependencies: [
                "CaretClient", "CaretCommand", "CaretConfig", "CaretCore", "CaretFormat", "CaretLog",
                "CaretSignIn", "CaretStore", "CaretSync", "CaretWire", "TestSupport", "caret", "caretd",
            ],
            swiftSettings: unoptimized),
        .testTarget(
            name: "CaretClientTests",
            dependencies: [
                "CaretClient", "CaretConcurrency", "CaretCore", "CaretReplica", "CaretTLS", "CaretViews",
                "CaretWire", "TestSupport", "caretd", "client-writer", "terminal-notes",
            ],
            exclude: ["StandIns"],
            swiftSettings: unoptimized),
        .testTarget(
            name: "CaretConcurrencyTests", dependencies: ["CaretConcurrency"], swiftSettings: unoptimized),
        .testTarget(
            name: "CaretConfigTests", dependencies: ["CaretConfig", "CaretWire", "TestSupport"],
            swiftSettings: unoptimized),
        .testTarget(
            name: "CaretCoreTests", dependencies: ["CaretCore", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "CaretFormatTests", dependencies: ["CaretCore", "CaretFormat", "CaretLog", "TestSupport"],
            swiftSettings: unoptimized),
        .testTarget(
            name: "CaretLogTests", dependencies: ["CaretCore", "CaretLog", "TestSupport"],
            swiftSettings: unoptimized),
        .testTarget(
            name: "CaretReplicaTests",
            dependencies: ["CaretCore", "CaretReplica", "CaretWire", "TestSupport"],
            swiftSettings: unoptimized),
        .testTarget(
            name: "CaretServerTests",
            dependencies: [
                "CaretConfig", "CaretCore", "CaretLog", "CaretRooms", "CaretServer", "CaretTLS", "CaretWeb",
                "CaretWire", "TestSupport",
            ],
            swiftSettings: unoptimized),
        .testTarget(
            name: "CaretSignInTests", dependencies: ["CaretLog", "CaretSignIn", "CaretWire", "TestSupport"],
            swiftSettings: unoptimized),
        .testTarget(
            name: "CaretStoreTests",
            dependencies: [
                "CaretConcurrency", "CaretCore", "CaretFormat", "CaretLog", "CaretPostgres", "CaretStore",
                "TestSupport", "store-faults",
                "store-writer",
            ],
            swiftSettings: unoptimized),
        .testTarget(
            name: "CaretSyncTests",
            dependencies: ["CaretClient", "CaretCore", "CaretSync", "CaretWire", "TestSupport"],
            swiftSettings: unoptimized),
        .testTarget(
            name: "CaretTLSTests", dependencies: ["COpenSSL", "CaretTLS", "TestSupport"],
            swiftSettings: unoptimized),
        .testTarget(
            name: "CaretWebTests",
            dependencies: ["CaretCore", "CaretLog", "CaretRooms", "CaretWeb", "CaretWire", "TestSupport"],
            swiftSettings: unoptimized),
        .testTarget(
            name: "CaretWireTests", dependencies: ["CaretCore", "CaretWire", "TestSupport"],
            swiftSettings: unoptimized),
        .testTarget(
            name: "CaretRoomsTests",
            dependencies: ["CaretConfig", "CaretCore", "CaretLog", "CaretRooms", "CaretWire", "TestSupport"],
            swiftSettings: unoptimized),
        .testTarget(
            name: "ScenarioTests",
            dependencies: [
                "CaretConfig", "CaretCore", "CaretLog", "CaretReplica", "CaretRooms", "CaretServer",
                "CaretTLS", "CaretWeb", "CaretWire", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "LiveTests",
            dependencies: [
                "CaretCore", "CaretSignIn", "CaretTLS", "CaretWire", "TestSupport", "caretd",
                "websocket-echo",
            ],
            swiftSettings: unoptimized),
        .testTarget(name: "TidyTests", dependencies: ["TestSupport"], swiftSettings: unoptimized),
    ],
    // C23, for `#embed` in CaretPage.
    cLanguageStandard: .gnu2x
)
