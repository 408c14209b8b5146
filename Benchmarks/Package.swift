// swift-tools-version: 6.2
import PackageDescription

// The benchmarks are a separate package, so that a build of the product does not compile them. They use the
// product's build folder, so that its modules are not compiled again:
//
//   swift build -c release --package-path Benchmarks --scratch-path .build

/// The name of the checkout's folder, as SwiftPM shortens it. The checkout is the parent of the folder
/// Benchmarks.
let folder = (Context.packageDirectory.split(separator: "/").dropLast().last ?? "").lowercased()
let checkout = folder.hasSuffix(".git") ? folder.dropLast(4) : folder[...]

/// The `-package-name` that SwiftPM passes for the product's modules: the checkout's name, with an underscore
/// for each character that an identifier cannot have.
let productPackageName = String(
    checkout.unicodeScalars.enumerated().map { index, scalar in
        let isDigit = scalar.properties.numericType == .decimal
        let isAllowed = scalar == "_" || scalar.properties.isAlphabetic || (isDigit && index > 0)
        return isAllowed ? Character(scalar) : "_"
    })

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "caret-benchmarks",
    platforms: [.macOS(.v26)],
    dependencies: [.package(name: "caret", path: "..")],
    targets: [
        .executableTarget(
            name: "caret-bench",
            dependencies: [
                "CBareServer", "CMalloc", .product(name: "CaretInternals", package: "caret"),
            ],
            path: "caret-bench",
            // By default SwiftPM passes this package's own name. The benchmarks use `package` declarations of the product,
            // so they need the product's name instead.
            packageAccess: false,
            swiftSettings: strict + [.unsafeFlags(["-package-name", productPackageName])]),
        .target(name: "CBareServer", path: "CBareServer", linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(name: "CMalloc", path: "CMalloc"),
    ]
)
