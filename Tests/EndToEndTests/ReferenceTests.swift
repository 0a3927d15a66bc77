import Foundation
import HTTPServer
import Reactor
import TestSupport
import TestTier
import Testing

@testable import API

/// The API reference, used as a reader uses it.
@Suite(.slow) struct ReferenceTests {
  private static let page = Page.make(Document.make())

  /// The curl sample of an operation, as the page shows it.
  private func sample(_ operation: String) throws -> String {
    let article = try #require(Self.page.split(separator: "<article id=\"\(operation)\">").dropFirst().first)
    let shown = try #require(article.firstMatch(of: #/<summary>curl</summary><pre>(?<text>[^<]*)</pre>/#))
    return String(shown.text).replacing("&quot;", with: "\"").replacing("&lt;", with: "<").replacing("&gt;", with: ">")
      .replacing("&amp;", with: "&")
  }

  @Test func `the samples of lists that need no more than a key run as they stand`() throws {
    let world = try World()
    let readable = Endpoint.all.filter {
      $0.method == .get && $0.pattern.hasPrefix("/v1/admin/") && !$0.pattern.contains("{")
        && !$0.pattern.contains("session") && !$0.pattern.hasSuffix("events") && !$0.pattern.contains("account/")
    }
    var count = 0
    for endpoint in readable {
      let sample = try sample(endpoint.id)
      // What a sample needs beside the address and the key is said by a variable that is not set here.
      guard sample.matches(of: #/\$[A-Z_]+/#).allSatisfy({ ["$URL", "$API_KEY"].contains($0.0) }) else { continue }
      let status = try run(sample, world)
      count += 1
      #expect(status.hasPrefix("2"), "\(endpoint.id): \(status)\n\(sample)")
    }
    #expect(count > 10)
  }

  @Test func `the sample of a send is a message that the API takes`() throws {
    let world = try World()
    var sample = try sample("sendMessage")
    #expect(sample.contains("-X POST") && sample.contains("-H \"Authorization: Bearer $API_KEY\""), "\(sample)")
    sample = sample.replacing("com.example.bank", with: World.appID)
      .replacing(#""alert""#, with: #""dryRun":true,"alert""#)
    #expect(try run(sample, world) == "200", "\(sample)")
  }

  private func run(_ sample: String, _ world: World) throws -> String {
    let report = try ChildProcess.run(
      ["/bin/sh", "-c", sample + " -o /dev/null -w '%{http_code}'"],
      environment: [
        "URL=http://127.0.0.1:\(world.port)", "API_KEY=\(world.apiKey)", "PATH=/usr/bin:/bin",
      ], atMost: .seconds(TestSupport.Limits.timeoutSeconds))
    return String(decoding: report.output, as: UTF8.self)
  }

  @Test func `every operation of the API is in the list beside the page, with what the filter looks for`() {
    let index = Page.index(of: Document.make())
    for endpoint in Endpoint.all {
      let words = "data-words=\"\(endpoint.method.rawValue.lowercased()) \(endpoint.pattern.lowercased()) "
      #expect(index.contains("href=\"#\(endpoint.id)\"") && index.contains(words), "\(endpoint.id)")
    }
  }

  @Test func `a shell's quotes hold any text`() throws {
    for text in ["a'b", "$(id) `id` \"x\"", "'", "''", "한글 \\ \\n"] {
      let report = try ChildProcess.run(
        ["/bin/sh", "-c", "printf %s \(CurlSample.quoted(text))"],
        atMost: .seconds(TestSupport.Limits.timeoutSeconds))
      #expect(String(decoding: report.output, as: UTF8.self) == text)
    }
  }

  @Test(arguments: [
    ("clientUid", "CLIENT_UID"), ("Idempotency-Key", "IDEMPOTENCY_KEY"), ("X-CSRF-Token", "X_CSRF_TOKEN"),
  ])
  func `a name becomes a variable of the shell`(name: String, variable: String) {
    #expect(CurlSample.variable(name) == variable)
  }
}
