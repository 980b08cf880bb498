import Foundation
import MeroDevNode
import MeroKitTestSupport

@testable import MeroKit

/// True as soon as the condition holds; false after twenty seconds.
func comesTrue(_ condition: () async -> Bool) async -> Bool {
    let deadline = Date(timeIntervalSinceNow: 20)
    while Date() < deadline {
        if await condition() { return true }
        try? await Task.sleep(nanoseconds: 2_000_000)
    }
    return await condition()
}

/// A cloud, a relay and a wallet that are gone after the test.
func withTestCloud(
    isMember: Bool = true, options: DevCloudOptions = DevCloudOptions(), _ body: (TestCloud) async throws -> Void
) async throws {
    let test = try await TestCloud.start(options: options, isMember: isMember)
    do {
        try await body(test)
        await test.stop()
    } catch {
        await test.stop()
        throw error
    }
}
