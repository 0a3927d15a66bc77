import TestSupport
import Testing

/// How much of the client runs on Linux: lines without blanks and comments, outside of what only Apple's systems compile.
@Suite struct ClientLinesTests {
  private static let modules = ["UPMCClient", "UPMCClientURLSession", "UPMCPush", "UPMCPushExtension"]

  /// Of a condition that holds on Apple's systems alone.
  private static func isApples(_ condition: Substring) -> Bool {
    ["UIKit", "UserNotifications", "Security", "Darwin"].contains { condition.contains("canImport(\($0)") }
  }

  private func count(_ text: String) -> (all: Int, linux: Int) {
    var (all, linux) = (0, 0)
    var open: [Bool] = []
    for line in text.split(separator: "\n") {
      let line = line.drop { $0 == " " }
      if line.hasPrefix("#if") {
        open.append(!Self.isApples(line))
      } else if line.hasPrefix("#else") {
        open[open.count - 1].toggle()
      } else if line.hasPrefix("#endif") {
        open.removeLast()
      } else if !line.isEmpty, !line.hasPrefix("//") {
        all += 1
        if open.allSatisfy({ $0 }) { linux += 1 }
      }
    }
    return (all, linux)
  }

  @Test func `the README says how many lines the client has, and how many of them run on Linux`() throws {
    let root = AppleTypeCheckTests.root
    var (all, linux) = (0, 0)
    let files = Self.modules.flatMap { TemporaryDirectory.files(below: "\(root)/Sources/\($0)") }
    for file in files where file.hasSuffix(".swift") {
      let counted = count(try #require(TemporaryDirectory.read(file)))
      (all, linux) = (all + counted.all, linux + counted.linux)
    }
    let hundreds = (all + 50) / 100
    let said = "Of its \(hundreds / 10),\(hundreds % 10)00 lines \((100 * linux + all / 2) / all)% run on Linux too"
    #expect(TemporaryDirectory.read(root + "/README.md")?.contains(said) == true, "\(said)")
  }
}
