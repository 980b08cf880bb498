import Foundation
import Testing

@testable import MeroKit

/// Numbers from outside become integers without a trap.
@Suite("Integers of doubles") struct SaturatingTests {
    @Test(
        arguments: [
            (0.0, 0, 0), (-0.0, 0, 0), (0.9, 0, 0), (-0.9, 0, 0), (1.9, 1, 1), (-1.9, -1, 0),
            (1e15, 1_000_000_000_000_000, 1_000_000_000_000_000),
            (0x1p63, .max, 1 << 63), (-0x1p63, .min, 0), (0x1p64, .max, .max), (1e17 * 1000, .max, .max),
            (-1e300, .min, 0), (.greatestFiniteMagnitude, .max, .max), (.infinity, .max, .max), (-.infinity, .min, 0),
            (.nan, 0, 0), (.leastNonzeroMagnitude, 0, 0),
        ] as [(Double, Int64, UInt64)])
    func wholeParts(number: Double, signed: Int64, unsigned: UInt64) {
        #expect(Int64(saturating: number) == signed)
        #expect(UInt64(saturating: number) == unsigned)
        #expect(Int(saturating: number) == Int(signed))
        #expect(UInt8(saturating: number) == UInt8(clamping: unsigned))
    }

    @Test func waitsAreBounded() {
        for (seconds, nanoseconds) in [
            (0.25, 250_000_000), (0, 0), (-1, 0), (-.infinity, 0), (.nan, 0), (.infinity, 1_000_000_000_000_000_000),
            (1e300, 1_000_000_000_000_000_000), (1e-12, 0),
        ] as [(Double, UInt64)] {
            #expect(UInt64.nanoseconds(seconds) == nanoseconds, "\(seconds)")
        }
    }

    @Test func datesThatNobodyCanStateAreNone() {
        #expect(UInt64(sinceEpoch: 1_790_000_000.9) == 1_790_000_000 && UInt64(sinceEpoch: -5) == 0)
        for time in [Double.nan, .infinity, 0x1p64, 1e300] { #expect(UInt64(sinceEpoch: time) == nil) }
    }

    /// Every conversion of a time says what it does with one that does not fit. Only the system's own clock may do without.
    @Test func noTimeIsConvertedByATrap() throws {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources/MeroKit")
        let conversion = try NSRegularExpression(
            pattern:
                #"\bU?Int(64|32)?\((?!saturating|exactly|clamping|sinceEpoch).*(1e[369]\b|\* 1_?000|timeInterval)"#)
        var files = 0
        for case let file as URL in try #require(
            FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        where file.pathExtension == "swift" {
            files += 1
            for line in try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n") {
                let code = line.components(separatedBy: "//")[0]
                let range = NSRange(code.startIndex..., in: code)
                let isFound = conversion.firstMatch(in: code, range: range) != nil
                #expect(!isFound || code.contains("Date()"), "\(file.lastPathComponent): \(line)")
            }
        }
        #expect(files > 200)
    }
}
