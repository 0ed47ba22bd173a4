// swift-tools-version: 6.2
import PackageDescription

let isForFuzzing = Context.environment["WSX_FUZZ"] != nil
let checksExclusivity = isForFuzzing || Context.environment["WSX_CHECKS_EXCLUSIVITY"] != nil

let swiftSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    // Exclusive access to class properties is checked in debug builds, which the unit tests use, with sanitizers, and while
    // fuzzing. In the program that ships, the checks would double the time per message (decision 003).
    .unsafeFlags(
        ["-enforce-exclusivity=\(checksExclusivity ? "checked" : "unchecked")"], .when(configuration: .release)),
]

// Debug builds compile each module as a whole, too: this takes a third of the time, and no longer after a changed line.
// Tests are compiled by file.
let moduleSettings: [SwiftSetting] = [
    .unsafeFlags(
        ["-whole-module-optimization", "-num-threads", "2", "-disable-batch-mode"], .when(configuration: .debug))
]

// wsx uses PCRE2 for regular expressions. Without this flag, searching in strings would also link Swift's own engine.
let programSettings =
    swiftSettings + moduleSettings + [
        .unsafeFlags(["-Xfrontend", "-disable-implicit-string-processing-module-import"])
    ]

// Specializes the session's decoding loop for the commands' handlers, across the module boundary. Above the libraries, it
// would only cost compile time.
let librarySettings = programSettings + [.unsafeFlags(["-cross-module-optimization"], .when(configuration: .release))]

let commandDependencies: [Target.Dependency] = [
    "Peer", "UserInterface", "CommandLine", "Conversation", "Formats", "WSCore",
]
let programDependencies: [Target.Dependency] =
    commandDependencies + ["Connect", "Listen", "Bench", "Convert", "Check", "LoadTest", "CCommit", "CPages"]

let package = Package(
    name: "wsx",
    products: [.executable(name: "wsx", targets: ["wsx"])],
    targets: [
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CNGHTTP2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
        .systemLibrary(name: "CIDN2", pkgConfig: "libidn2", providers: [.apt(["libidn2-dev", "libunistring-dev"])]),
        .systemLibrary(name: "CPCRE2", pkgConfig: "libpcre2-8", providers: [.apt(["libpcre2-dev"])]),
        // Only headers.
        .systemLibrary(name: "CMessagePack", providers: [.apt(["libmsgpack-dev"])]),
        // Without pkg-config: SwiftPM warns about the feature macros in readline's flags and ignores them.
        .systemLibrary(name: "CReadline", providers: [.apt(["libreadline-dev"])]),
        // System calls.
        .target(name: "CSystem"),
        // The commit. The variable is that of `make build`, because SwiftPM caches what `Context.gitInformation` was.
        .target(
            name: "CCommit",
            cSettings: [.define("WSX_COMMIT", to: "\"\(Context.environment["WSX_COMMIT"] ?? "")\"")]),
        // The manual, and the files of the pages of `wsx listen --console`, `wsx bench --report`, `wsx convert`, and
        // `wsx check`.
        .target(
            name: "CPages", exclude: ["Check", "Console", "Manual", "Report", "Session", "Shared"],
            cSettings: [.unsafeFlags(["-Wno-c23-extensions"])]),
        // The files with the cases of `wsx check`.
        .target(name: "CCases", exclude: ["Sections"], cSettings: [.unsafeFlags(["-Wno-c23-extensions"])]),
        .target(
            name: "WSCore",
            dependencies: ["CIDN2", "CNGHTTP2", "CSystem", "COpenSSL", "CZlib"],
            swiftSettings: librarySettings),
        .target(name: "CommandLine", swiftSettings: librarySettings),
        .target(
            name: "Formats",
            dependencies: ["WSCore", "CMessagePack", "CPCRE2"],
            swiftSettings: librarySettings),
        // Cases of `wsx check`, and the player that judges. It shares no code with what it checks.
        .target(
            name: "Conformance", dependencies: ["CCases", "CNGHTTP2", "COpenSSL", "CZlib"],
            swiftSettings: programSettings),
        .target(
            name: "Conversation",
            dependencies: ["Formats", "WSCore"],
            swiftSettings: librarySettings),
        .target(
            name: "LoadTest",
            dependencies: ["Conversation", "Formats", "WSCore"],
            swiftSettings: librarySettings),
        // What commands share: groups of options, the terminal, pages, and failures, files, and templates from arguments.
        .target(
            name: "UserInterface",
            dependencies: ["CommandLine", "Conversation", "Formats", "WSCore", "CPages", "CReadline"],
            swiftSettings: programSettings),
        // What drives a peer: connections, pipes, programs, and what records them.
        .target(
            name: "Peer",
            dependencies: ["UserInterface", "CommandLine", "Conversation", "Formats", "WSCore"],
            swiftSettings: programSettings),
        // The commands, which do not know each other.
        .target(name: "Connect", dependencies: commandDependencies, swiftSettings: programSettings),
        .target(name: "Listen", dependencies: commandDependencies, swiftSettings: programSettings),
        .target(
            name: "Bench", dependencies: commandDependencies + ["LoadTest"],
            swiftSettings: programSettings),
        .target(name: "Convert", dependencies: commandDependencies, swiftSettings: programSettings),
        .target(
            name: "Check", dependencies: commandDependencies + ["Conformance"],
            swiftSettings: programSettings),
        .executableTarget(name: "wsx", dependencies: programDependencies, swiftSettings: programSettings),
        // The client that the Autobahn TestSuite tests; see Tests/Conformance.
        .executableTarget(
            name: "AutobahnClient",
            dependencies: ["WSCore"],
            path: "Tests/Conformance/AutobahnClient",
            swiftSettings: swiftSettings),
        // Counts allocations in the test process.
        .target(name: "CAllocationCounter", path: "Tests/CAllocationCounter"),
        // Both halves of the protocol without a stream, for tests and fuzz targets.
        .target(
            name: "SessionSupport", dependencies: ["WSCore"], path: "Tests/SessionSupport",
            swiftSettings: swiftSettings),
        // Comparisons that compile in a tenth of the time of `#expect`.
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: swiftSettings),
        .testTarget(
            name: "WSCoreTests",
            dependencies: ["WSCore", "SessionSupport", "TestSupport", "CSystem", "COpenSSL", "CAllocationCounter"],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "CommandLineTests", dependencies: ["CommandLine", "TestSupport"], swiftSettings: swiftSettings),
        .testTarget(
            name: "FormatsTests", dependencies: ["Formats", "WSCore", "TestSupport"], swiftSettings: swiftSettings),
        .testTarget(
            name: "ConformanceTests", dependencies: ["Conformance", "TestSupport"], swiftSettings: swiftSettings),
        .testTarget(
            name: "ConversationTests",
            dependencies: ["Conversation", "Formats", "WSCore", "CAllocationCounter", "TestSupport"],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "LoadTestTests", dependencies: ["LoadTest", "Conversation", "Formats", "WSCore", "TestSupport"],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "wsxTests",
            dependencies: programDependencies + ["wsx", "SessionSupport", "CSystem", "CReadline"],
            swiftSettings: swiftSettings),
        // Replays the seeds and past findings of the fuzz targets.
        .testTarget(
            name: "FuzzTests",
            dependencies: programDependencies + ["wsx", "SessionSupport"],
            path: "Fuzz",
            exclude: ["EntryPoint", "Regressions", "Seeds", "fuzz.py", "seeds.py"],
            swiftSettings: swiftSettings + [.define("REPLAY")]),
    ]
)

// `make fuzz` builds the fuzz targets instead of the program and its tests.
if isForFuzzing {
    package.products = []
    package.targets.removeAll { $0.name == "wsx" || $0.name == "TestSupport" || $0.isTest }
    package.targets += [
        // libFuzzer provides main(), so the program's own main function is renamed.
        .target(
            name: "wsx",
            dependencies: programDependencies,
            swiftSettings: swiftSettings + [
                .unsafeFlags(["-Xfrontend", "-entry-point-function-name", "-Xfrontend", "wsx_main"])
            ]),
        .executableTarget(
            name: "Fuzz",
            dependencies: programDependencies + ["wsx", "SessionSupport"],
            path: "Fuzz",
            sources: ["EntryPoint", "Support", "Targets"],
            swiftSettings: swiftSettings + [.unsafeFlags(["-parse-as-library"])]),
    ]
}
