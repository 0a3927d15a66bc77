import Foundation
import Testing

@testable import Server

/// What the machine has installed is nobody's business.
@Suite struct VendorFilesTests {
  @Test func `the library that draws charts is served, and no other`() throws {
    let world = try World(server: { $0.publicDirectory = FileManager.default.currentDirectoryPath + "/Public" })
    func status(_ path: String) throws -> Int { try world.client.call("GET", path).status }
    #expect(try status("/assets/vendor/chart.js/chart.mjs") == 200)
    #expect(try status("/assets/vendor/chart.js/chunks/helpers.segment.mjs") == 200)
    let installed = "/usr/share/javascript"
    let others = try #require(FileManager.default.subpaths(atPath: installed))
      .filter { !$0.hasPrefix("chart.js") && $0.hasSuffix(".js") }
    // Without others this would show nothing.
    try #require(!others.isEmpty)
    for path in others.prefix(40) { #expect(try status("/assets/vendor/" + path) == 404, "\(path)") }
    #expect(try status("/assets/vendor/chart.js/%2e%2e/jquery/jquery.js") >= 400)
    #expect(try status("/assets/vendor/chart.js") == 404)
  }
}
