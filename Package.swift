// swift-tools-version: 6.0
import PackageDescription

/// System libraries that only some platforms need: Apple systems bring URLSession, CryptoKit and Security.
let linuxOnly: TargetDependencyCondition? = .when(platforms: [.linux])
let desktopOnly: TargetDependencyCondition? = .when(platforms: [.linux, .macOS])

let package = Package(
    name: "MeroKit",
    platforms: [.iOS(.v15), .macOS(.v12)],
    products: [
        .library(name: "MeroKit", targets: ["MeroKit"]),
        .library(name: "MeroKitUI", targets: ["MeroKitUI"]),
        .library(name: "MeroDevNode", targets: ["MeroDevNode"]),
        .library(name: "MeroKitTestSupport", targets: ["MeroKitTestSupport"]),
        .executable(name: "mero", targets: ["mero"]),
    ],
    targets: [
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
        .systemLibrary(name: "COpenSSL", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CWslay", providers: [.apt(["libwslay-dev"]), .brew(["wslay"])]),
        .systemLibrary(
            name: "CMicrohttpd", pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"]), .brew(["libmicrohttpd"])]),
        .target(
            name: "MeroKit",
            dependencies: [
                .target(name: "CCurl", condition: linuxOnly),
                .target(name: "COpenSSL", condition: linuxOnly),
                "CZlib",
                .target(name: "MeroWebSocket", condition: linuxOnly),
            ]),
        .target(name: "MeroWebSocket", dependencies: [.target(name: "CWslay", condition: desktopOnly)]),
        .target(name: "MeroKitUI", dependencies: ["MeroKit"]),
        .target(
            name: "MeroDevNode",
            dependencies: [
                "MeroKit",
                .target(name: "CMicrohttpd", condition: desktopOnly),
                .target(name: "MeroWebSocket", condition: desktopOnly),
            ]),
        .target(name: "MeroKitTestSupport", dependencies: ["MeroKit", "MeroDevNode"]),
        .executableTarget(name: "mero", dependencies: ["MeroKit", "MeroDevNode"]),
        // A process of its own that tests start several times over one token store.
        .executableTarget(name: "merokit-store-probe", dependencies: ["MeroKit"], path: "Tests/Probes/StoreProbe"),
        // Another, several of which draw numbers from one nonce store.
        .executableTarget(name: "merokit-nonce-probe", dependencies: ["MeroKit"], path: "Tests/Probes/NonceProbe"),
        // Spoils what is read from outside, as often as one likes. Calls lead to what tests of the admin API use, too.
        .executableTarget(name: "merokit-fuzz", dependencies: ["MeroKit", "MeroDevNode"], path: "Tests/Probes/Fuzz"),
        // Lists what is public, and what of it is not documented: part of scripts/api and scripts/docs.
        .executableTarget(name: "merokit-surface", path: "Tests/Probes/Surface"),
        // Not part of any test: what the Autobahn suite is pointed at by hand.
        .executableTarget(
            name: "merokit-websocket-echo", dependencies: ["MeroKit", "MeroWebSocket"],
            path: "Tests/Probes/WebSocketEcho"),
        .testTarget(
            name: "MeroKitTests",
            dependencies: [
                "MeroKit", "MeroKitUI", "MeroDevNode", "MeroKitTestSupport", "MeroWebSocket", "merokit-store-probe",
                "merokit-nonce-probe", "merokit-fuzz",
            ],
            exclude: ["Fixtures"]),
        .testTarget(name: "MeroDevNodeTests", dependencies: ["MeroDevNode", "MeroKit", "MeroWebSocket"]),
        .testTarget(name: "MeroWebSocketTests", dependencies: ["MeroWebSocket"]),
        .testTarget(name: "MeroCommandTests", dependencies: ["mero", "MeroDevNode"]),
        .testTarget(
            name: "CompatibilityTests",
            dependencies: ["MeroKit", "MeroKitUI", "MeroDevNode", "MeroKitTestSupport"]),
    ],
    swiftLanguageModes: [.v6]
)
