import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

@Suite struct TarArchiveTests {
    @Test func whatIsWrittenIsRead() throws {
        var archive = TarArchive()
        for size in [0, 1, 511, 512, 513, 2000] {
            archive.add("file-\(size)", [UInt8](repeating: UInt8(size % 251), count: size))
        }
        let bytes = archive.bytes
        #expect(bytes.count % 512 == 0)
        let read = try TarArchive(reading: bytes)
        #expect(read.files.map(\.name) == archive.files.map(\.name))
        for file in archive.files { #expect(read[file.name] == file.content) }
    }

    @Test func everyCutIsAnErrorOrAShorterArchive() throws {
        var archive = TarArchive()
        archive.add("a", Array("hello".utf8))
        archive.add("b", [UInt8](repeating: 7, count: 600))
        let bytes = archive.bytes
        for length in stride(from: 0, to: bytes.count, by: 7) {
            let cut = try? TarArchive(reading: Array(bytes.prefix(length)))
            for file in cut?.files ?? [] { #expect(archive[file.name] == file.content) }
        }
    }

    @Test func sizesThatLie() {
        var archive = TarArchive()
        archive.add("a", [1, 2, 3])
        for size in ["77777777777", "99999999999", "-0000000001", "           "] {
            var bytes = archive.bytes
            for (index, byte) in size.utf8.enumerated() { bytes[124 + index] = byte }
            #expect(throws: TarArchive.Damage.self) { try TarArchive(reading: bytes) }
        }
    }

    /// As other programs write it.
    @Test func anArchiveOfTar() async throws {
        try await withFolder { folder in
            let inner = folder.appendingPathComponent("content")
            let long = String(repeating: "long", count: 30)
            try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
            try Data("{}".utf8).write(to: inner.appendingPathComponent("manifest.json"))
            try Data("deep".utf8).write(to: inner.appendingPathComponent(long))
            let file = folder.appendingPathComponent("a.tgz")
            let tar = Process()
            tar.executableURL = URL(fileURLWithPath: "/bin/tar")
            tar.arguments = ["--format=gnu", "-czf", file.path, "-C", inner.path, "."]
            do { try tar.run() } catch { return print("no tar here: its archives are not read") }
            tar.waitUntilExit()
            guard tar.terminationStatus == 0 else { return print("no GNU tar here: its archives are not read") }
            let unpacked = try RawDeflate.inflate(Array(try Data(contentsOf: file)), limit: 1 << 20, wrapper: .gzip)
            let archive = try TarArchive(reading: unpacked)
            #expect(archive["manifest.json"] == Array("{}".utf8))
            #expect(archive[long] == Array("deep".utf8))
        }
    }

    @Test func bundlesAreTheSameEverywhere() throws {
        let first = try DevBundle(package: "com.example.app", version: "1.0.0", contract: KeyValueContract())
        let second = try DevBundle(package: "com.example.app", version: "1.0.0", contract: KeyValueContract())
        #expect(first.data == second.data)
        let next = try DevBundle(package: "com.example.app", version: "1.0.1", contract: KeyValueContract())
        #expect(next.data != first.data)
        #expect(next.applicationId == first.applicationId)
        let other = try DevBundle(
            package: "com.example.app", version: "1.0.0", signingSeed: Data(repeating: 7, count: 32))
        #expect(other.applicationId != first.applicationId)
        #expect(try ApplicationBundle(Array(first.data)).package == "com.example.app")
        #expect(throws: DevNodeError.self) { try DevBundle(package: "", version: "1") }
        #expect(throws: DevNodeError.self) { try DevBundle(package: "p", version: "1", abi: "{") }
        #expect(throws: DevNodeError.self) { try DevBundle(package: "p", version: "1", signingSeed: Data([1])) }
    }
}
