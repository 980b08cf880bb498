// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "MeroKitExamples",
    platforms: [.macOS(.v12)],
    dependencies: [
        // Named, because the identity of an unnamed local package is its folder's name, which a clone may choose.
        .package(name: "MeroKit", path: "..")
    ],
    targets: [
        .target(name: "TaskList", dependencies: [.product(name: "MeroKit", package: "MeroKit")]),
        .executableTarget(name: "task-list", dependencies: ["TaskList"]),
        .executableTarget(name: "task-hook", dependencies: ["TaskList"]),
        .testTarget(
            name: "TaskListTests",
            dependencies: ["TaskList", .product(name: "MeroKitTestSupport", package: "MeroKit")]),
    ],
    swiftLanguageModes: [.v6]
)
