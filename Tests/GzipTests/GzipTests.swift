import Foundation
import Gzip
import Reactor
import TestSupport
import Testing

@Suite struct GzipTests {
  /// What another program makes of it.
  private func decompressed(_ bytes: [UInt8]) throws -> [UInt8] {
    let directory = TemporaryDirectory.make()
    defer { TemporaryDirectory.remove(directory) }
    try Data(bytes).write(to: URL(filePath: directory + "/packed.gz"))
    let report = try ChildProcess.run(
      ["/usr/bin/gzip", "--decompress", "--stdout", directory + "/packed.gz"],
      atMost: .patience)
    #expect(report.succeeded, "\(report.ending)")
    return report.output
  }

  @Test(arguments: [0, 1, 2, 1_000, 100_000, 1_000_001]) func `another program reads it`(count: Int) throws {
    // Of little entropy at its beginning and much at its end.
    var state: UInt64 = 7
    let bytes = (0..<count).map { index in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return index < count / 2 ? UInt8(index % 7) : UInt8(truncatingIfNeeded: state >> 56)
    }
    #expect(try decompressed(try #require(Gzip.compress(bytes))) == bytes)
  }

  @Test func `the same bytes compress to the same, and text to much less`() throws {
    let text = Array(String(repeating: "import { h, put } from \"../dom.js\";\n", count: 1_000).utf8)
    let compressed = try #require(Gzip.compress(text))
    #expect(Gzip.compress(text) == compressed)
    #expect(compressed.count < text.count / 50)
    // RFC 1952: magic, deflate, no flags, no time.
    #expect(Array(compressed.prefix(8)) == [0x1F, 0x8B, 8, 0, 0, 0, 0, 0])
  }
}
