import Foundation
import Reactor
import TestSupport
import Testing

/// Reads QR codes with zbar, as a telephone's camera would.
enum QRScanner {
  /// - Parameter rows: the modules, `1` for dark, with their quiet zone.
  static func read(_ rows: [String]) throws -> String {
    let directory = TemporaryDirectory.make()
    defer { TemporaryDirectory.remove(directory) }
    let scale = 8
    var picture = "P2\n\(rows[0].count * scale) \(rows.count * scale)\n1\n"
    for row in rows {
      let line = row.map { String(repeating: $0 == "1" ? "0 " : "1 ", count: scale) }.joined() + "\n"
      for _ in 0..<scale { picture += line }
    }
    TemporaryDirectory.write(directory + "/code.pgm", picture)
    let report = try ChildProcess.run(
      ["/usr/bin/zbarimg", "--raw", "--quiet", "--oneshot", "-Sbinary", directory + "/code.pgm"], atMost: .patience)
    try #require(report.succeeded, "zbarimg reads nothing: \(report.text)")
    let text = report.text
    return text
  }
}
