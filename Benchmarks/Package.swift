// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "MeroKitBenchmarks",
    platforms: [.macOS(.v12)],
    dependencies: [
        // Named, because the identity of an unnamed local package is its folder's name, which a clone may choose.
        .package(name: "MeroKit", path: "..")
    ],
    targets: [
        .executableTarget(name: "bare-curl", linkerSettings: [.linkedLibrary("curl")]),
        .executableTarget(name: "bare-openssl", linkerSettings: [.linkedLibrary("crypto")]),
        .executableTarget(name: "event-source"),
        .executableTarget(
            name: "merokit-bench",
            dependencies: [
                .product(name: "MeroKit", package: "MeroKit"),
                .product(name: "MeroDevNode", package: "MeroKit"),
            ]),
        .executableTarget(
            name: "merokit-soak",
            dependencies: [
                .product(name: "MeroKit", package: "MeroKit"),
                .product(name: "MeroDevNode", package: "MeroKit"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
