import HTTPClient
import TestSupport
import Testing

@testable import Server

/// The variables of the export to a collector.
@Suite struct ExportSettingTests {
  private func export(_ environment: [String: String]) throws -> Configuration.Export? {
    try Configuration(environment: environment).export
  }

  private func mistake(_ environment: [String: String]) throws -> String {
    try #require(throws: Configuration.Mistake.self) { try Configuration(environment: environment) }.description
  }

  private static let url = "http://collector:4318"

  @Test func `nothing is exported unless a collector is named`() throws {
    #expect(try export([:]) == nil)
    #expect(try export(["UPMC_OTLP_URL": "", "UPMC_OTLP_TRACE_RATIO": "1"]) == nil)
    let export = try #require(try export(["UPMC_OTLP_URL": Self.url]))
    #expect(export.url.host == "collector" && export.url.port == 4318 && export.headers.isEmpty)
    #expect(export.timeout == .seconds(10) && export.metricsInterval == .seconds(60) && export.traceRatio == 0)
  }

  @Test func `headers, times and the share are taken as written`() throws {
    let export = try #require(
      try export([
        "UPMC_OTLP_URL": "https://collector/otel",
        "UPMC_OTLP_HEADERS": "authorization=Bearer%20a%2Cb%3D, x-tenant=bank",
        "UPMC_OTLP_TIMEOUT": "3", "UPMC_OTLP_METRICS_INTERVAL": "0", "UPMC_OTLP_TRACE_RATIO": "0.25",
      ]))
    #expect(export.url.isSecure && export.url.port == 443 && export.url.target == "/otel")
    #expect(export.headers.map { "\($0.name): \($0.value)" } == ["authorization: Bearer a,b=", "x-tenant: bank"])
    #expect(export.timeout == .seconds(3) && export.metricsInterval == nil && export.traceRatio == 0.25)
  }

  @Test func `headers may be in a file, but not in both places`() throws {
    let directory = TemporaryDirectory.make()
    defer { TemporaryDirectory.remove(directory) }
    TemporaryDirectory.write(directory + "/headers", "authorization=Bearer%20hidden\n")
    let file = ["UPMC_OTLP_URL": Self.url, "UPMC_OTLP_HEADERS_FILE": directory + "/headers"]
    #expect(try export(file)?.headers.first?.value == "Bearer hidden")
    #expect(try mistake(file.merging(["UPMC_OTLP_HEADERS": "a=b"]) { $1 }).contains("are both set"))
    #expect(try mistake(["UPMC_OTLP_URL": Self.url, "UPMC_OTLP_HEADERS_FILE": "/nowhere"]).contains("/nowhere"))
    TemporaryDirectory.write(directory + "/headers", "hidden words\n")
    let words = try mistake(file)
    #expect(words.contains("UPMC_OTLP_HEADERS_FILE") && !words.contains("hidden"))
  }

  @Test(arguments: [
    ("UPMC_OTLP_URL", "collector:4318"), ("UPMC_OTLP_URL", "http://user:secret@collector"),
    ("UPMC_OTLP_URL", "http://collector/?token=secret"), ("UPMC_OTLP_URL", "grpc://collector"),
    ("UPMC_OTLP_HEADERS", "secret"), ("UPMC_OTLP_HEADERS", "=secret"), ("UPMC_OTLP_HEADERS", "a b=c\u{1}"),
    ("UPMC_OTLP_HEADERS", "authorization=secret%0d%0ax: y"), ("UPMC_OTLP_HEADERS", "authorization=secret%2"),
    ("UPMC_OTLP_HEADERS", "content-length=0"), ("UPMC_OTLP_HEADERS", "Content-Type=text/plain"),
    ("UPMC_OTLP_TIMEOUT", "0"), ("UPMC_OTLP_TIMEOUT", "61"), ("UPMC_OTLP_TIMEOUT", ""),
    ("UPMC_OTLP_METRICS_INTERVAL", "-1"), ("UPMC_OTLP_METRICS_INTERVAL", "3601"),
    ("UPMC_OTLP_TRACE_RATIO", "1.5"), ("UPMC_OTLP_TRACE_RATIO", "-0.1"), ("UPMC_OTLP_TRACE_RATIO", "nan"),
    ("UPMC_OTLP_TRACE_RATIO", "10%"),
  ]) func `what cannot be used stops the start with a sentence that names it, and shows no secret`(
    name: String, value: String
  ) throws {
    let words = try mistake(["UPMC_OTLP_URL": Self.url].merging([name: value]) { $1 })
    #expect(words.contains(name) && !words.contains("secret"), "\(words)")
  }
}
