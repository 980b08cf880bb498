import Foundation
import MeroDevNode

/// Breaks streams about once a second, in every way that a node and a network know.
final class Saboteur: Sendable {
    private enum Way: String, CaseIterable {
        case cutAll = "all cut"
        case cutOne = "one cut"
        case finishAll = "all ended"
        case close = "close frames"
        case cutOpening = "cut while opening"
        case cutInFrame = "cut in a frame"
        case refuse = "cut and refused"
        case expire = "cut and expired"
    }

    private let node: DevNode
    private let random: Guarded<SeededGenerator>
    private let counts = Guarded<[Way: Int]>([:])

    init(_ node: DevNode, seed: UInt64) {
        self.node = node
        random = Guarded(SeededGenerator(seed))
    }

    var count: Int { counts.with { $0.values.reduce(0, +) } }

    var summary: String {
        counts.with { counts in
            Way.allCases.compactMap { way in counts[way].map { "\($0) \(way.rawValue)" } }.joined(separator: ", ")
        }
    }

    func run() async {
        while (try? await Task.sleep(nanoseconds: below(1_000_000_000) + 500_000_000)) != nil {
            guard let way = random.with({ Way.allCases.randomElement(using: &$0) }) else { return }
            strike(way)
            counts.with { $0[way, default: 0] += 1 }
        }
    }

    private func strike(_ way: Way) {
        let streams = node.streams
        switch way {
        case .cutAll: streams.cutAll()
        case .cutOne: streams.open.randomElement(using: self)?.cut()
        case .finishAll: streams.finishAll()
        case .close: streams.announceClose(reason: "soak")
        case .cutOpening:
            streams.cutNext(afterFrames: Int(below(4)))
            streams.cutAll()
        case .cutInFrame:
            streams.cutNext(afterBytes: Int(below(2000)))
            streams.cutAll()
        case .refuse:
            streams.refuseNext(status: 503, times: Int(below(4)) + 1)
            streams.cutAll()
        case .expire:
            node.expireAccessTokens()
            streams.cutAll()
        }
    }

    fileprivate func below(_ limit: UInt64) -> UInt64 { random.with { UInt64.random(in: 0..<limit, using: &$0) } }
}

extension Array {
    fileprivate func randomElement(using saboteur: Saboteur) -> Element? {
        isEmpty ? nil : self[Int(saboteur.below(UInt64(count)))]
    }
}
