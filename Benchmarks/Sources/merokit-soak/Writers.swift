import Foundation
import MeroKit

/// Several clients that write to all contexts.
struct Writers: Sendable {
    private static let count = 4
    private let scene: Scene
    private let options: SoakOptions

    init(_ scene: Scene, options: SoakOptions) {
        self.scene = scene
        self.options = options
    }

    /// Until the task is cancelled, and the writes under way are acknowledged.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<Self.count { group.addTask { await write(number) } }
        }
    }

    private func write(_ number: Int) async {
        var random = SeededGenerator(options.seed &+ UInt64(number) + 1)
        let interval = Double(Self.count) / Double(options.rate)
        do {
            let mero = try await scene.client()
            var next = monotonicSeconds()
            while !Task.isCancelled {
                let context = scene.contexts[Int.random(in: 0..<scene.contexts.count, using: &random)]
                // In a task of its own: a write that is cancelled may have happened without anybody knowing.
                let write = Task { () -> Int in
                    try await mero.rpc.execute(
                        contextId: context, method: "append", argsJson: ["writer": .string("\(number)")])
                }
                scene.ledger.acknowledge(context, version: try await write.value)
                next = max(next + interval * Double.random(in: 0.5...1.5, using: &random), monotonicSeconds() - 1)
                let pause = next - monotonicSeconds()
                if pause > 0 { try? await Task.sleep(nanoseconds: UInt64(pause * 1e9)) }
            }
        } catch {
            scene.findings.add("writer \(number): \(error)")
        }
    }
}
