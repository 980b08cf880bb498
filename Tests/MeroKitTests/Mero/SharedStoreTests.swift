import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

/// Several processes, one store, many rotations: a refresh token is never shown twice.
@Suite struct SharedStoreTests {
    @Test func fourProcessesNeverReplayARefreshToken() async throws {
        let rotations = 200
        let node = try await DevNode.start()
        let context = try node.createContext(ProbeContract())
        let folder = try TemporaryFolder()
        let store = FileTokenStore(url: folder.file("tokens.json"))
        let tokens = node.mintTokens()
        store.setTokens(
            TokenData(
                accessToken: tokens.accessToken, refreshToken: tokens.refreshToken,
                expiresAt: Date(timeIntervalSinceNow: 1)))

        let executable = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("merokit-store-probe")
        let probes = try (0..<4).map { _ in
            let process = Process()
            process.executableURL = executable
            process.arguments = [
                node.url.absoluteString, folder.file("tokens.json").path, context, folder.file("stop").path,
            ]
            process.standardInput = FileHandle.nullDevice
            try process.run()
            return process
        }
        defer { for probe in probes where probe.isRunning { probe.terminate() } }
        var seen = 0
        for rotation in 1...rotations {
            node.expireAccessTokens()
            try await eventually(within: 120) {
                // Runs, not arrivals: a pair minted after the next expiry would not be expired by it.
                seen = node.handlerRuns("POST", "/auth/refresh")
                return seen >= rotation || !probes.allSatisfy(\.isRunning)
            }
            guard probes.allSatisfy(\.isRunning) else { break }
        }
        try Data().write(to: folder.file("stop"))
        try await eventually { !probes.contains(where: \.isRunning) }
        #expect(probes.map(\.terminationStatus) == [0, 0, 0, 0])
        let refreshes = node.requests.filter { $0.path == "/auth/refresh" }
        #expect(seen >= rotations && !refreshes.isEmpty)
        #expect(refreshes.allSatisfy { $0.status == 200 }, "\(refreshes.compactMap(\.status).filter { $0 != 200 })")
        #expect(node.requestCount("POST", "/jsonrpc") > rotations)
        await node.stop()
    }
}
