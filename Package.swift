// swift-tools-version: 6.2
import PackageDescription

let isForFuzzing = Context.environment["WSX_FUZZ"] != nil

let swiftSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    // The handlers of a command are specialised into the session's decoding loop across the module boundary.
    .unsafeFlags(["-cross-module-optimization"], .when(configuration: .release)),
    // Overlapping accesses to a class's property are checked for in debug builds, which are what the tests run, and
    // while fuzzing. In a release build the checks took a third of the time of a message.
    .unsafeFlags(["-enforce-exclusivity=\(isForFuzzing ? "checked" : "unchecked")"], .when(configuration: .release)),
]

// Regular expressions are PCRE2's: Swift's own would come along with its search in strings.
let programSettings =
    swiftSettings + [
        .unsafeFlags(["-Xfrontend", "-disable-implicit-string-processing-module-import"])
    ]

// The pages of `wsx listen --console` and `wsx bench --report`, which the program joins from these files: PackageResources
// has their bytes.
let pages: [Resource] = [.embedInCode("Listen/Console/Page"), .embedInCode("Bench/Report/Page")]

let package = Package(
    name: "wsx",
    products: [.executable(name: "wsx", targets: ["wsx"])],
    targets: [
        .systemLibrary(name: "CLibuv", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CIDN2", pkgConfig: "libidn2", providers: [.apt(["libidn2-dev", "libunistring-dev"])]),
        .systemLibrary(name: "CPCRE2", pkgConfig: "libpcre2-8", providers: [.apt(["libpcre2-dev"])]),
        // Not by pkg-config: readline's flags define feature macros that the package manager refuses with a warning.
        .systemLibrary(name: "CReadline", providers: [.apt(["libreadline-dev"])]),
        .target(
            name: "WSCore",
            dependencies: ["CIDN2", "CLibuv", "COpenSSL", "CZlib"],
            swiftSettings: programSettings),
        .target(name: "CommandLine", swiftSettings: programSettings),
        .target(
            name: "Formats",
            dependencies: ["WSCore", "CPCRE2"],
            swiftSettings: programSettings),
        .target(
            name: "Conversation",
            dependencies: ["Formats", "WSCore"],
            swiftSettings: programSettings),
        .target(
            name: "LoadTest",
            dependencies: ["Formats", "WSCore"],
            swiftSettings: programSettings),
        .executableTarget(
            name: "wsx",
            dependencies: ["CommandLine", "Conversation", "Formats", "LoadTest", "WSCore", "CReadline"],
            resources: pages,
            swiftSettings: programSettings),
        // What the Autobahn TestSuite examines as a client; see Tests/Conformance.
        .executableTarget(
            name: "AutobahnClient",
            dependencies: ["WSCore"],
            path: "Tests/Conformance/AutobahnClient",
            swiftSettings: swiftSettings),
        // Counts allocations in the test process.
        .target(name: "CAllocationCounter", path: "Tests/CAllocationCounter"),
        .testTarget(
            name: "WSCoreTests",
            dependencies: ["WSCore", "COpenSSL", "CAllocationCounter"],
            swiftSettings: swiftSettings),
        .testTarget(name: "CommandLineTests", dependencies: ["CommandLine"], swiftSettings: swiftSettings),
        .testTarget(name: "FormatsTests", dependencies: ["Formats", "WSCore"], swiftSettings: swiftSettings),
        .testTarget(
            name: "ConversationTests", dependencies: ["Conversation", "Formats", "WSCore"],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "LoadTestTests", dependencies: ["LoadTest", "Formats", "WSCore"], swiftSettings: swiftSettings),
        .testTarget(
            name: "wsxTests",
            dependencies: ["wsx", "CommandLine", "Conversation", "Formats", "LoadTest", "WSCore"],
            swiftSettings: swiftSettings),
    ]
)

// `make fuzz` builds the fuzz targets in place of the program and its tests.
if isForFuzzing {
    package.products = []
    package.targets.removeAll { $0.name == "wsx" || $0.isTest }
    package.targets += [
        // libFuzzer has a main function of its own, so that of the program gets another name.
        .target(
            name: "wsx",
            dependencies: ["CommandLine", "Conversation", "Formats", "LoadTest", "WSCore", "CReadline"],
            resources: pages,
            swiftSettings: swiftSettings + [
                .unsafeFlags(["-Xfrontend", "-entry-point-function-name", "-Xfrontend", "wsx_main"])
            ]),
        .executableTarget(
            name: "Fuzz",
            dependencies: ["wsx", "CommandLine", "Conversation", "Formats", "LoadTest", "WSCore"],
            path: "Fuzz",
            sources: ["Support", "Targets"],
            swiftSettings: swiftSettings + [.unsafeFlags(["-parse-as-library"])]),
    ]
}
