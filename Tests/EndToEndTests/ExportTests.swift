import Foundation
import HTTPClient
import Reactor
import TLS
import TestSupport
import Testing
import TestTier

@testable import Server

/// The export to a collector when that is away, complains, wants a credential, or speaks TLS.
@Suite(.slow) struct ExportTests {
  private static func traceparent(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return "00-0af7651916cd43dd\(String(repeating: "0", count: 16 - digits.count))\(digits)-b7ad6b7169203331-01"
  }

  private func world(_ export: Configuration.Export) throws -> World {
    // An answer that comes late on a busy machine is no reason to send twice.
    try World(server: {
      $0.export = export
      $0.export?.timeout = .patience
    })
  }

  private func ask(_ world: World, _ number: Int) throws {
    _ = try world.client.call("GET", "/v1/nothing", headers: [("traceparent", Self.traceparent(number))])
  }

  @Test func `metrics are exported under the names that Prometheus gets`() throws {
    let collector = try TraceCollector()
    var export = try collector.export
    export.metricsInterval = .seconds(1)
    let world = try world(export)
    try ask(world, 1)
    _ = try poll("the request is not counted") {
      collector.metric("upmc_http_requests_total")["devices,4xx"] == 1 ? true : nil
    }
    // The exporter counts itself, too.
    _ = try poll("the exporter's own counters are missing") {
      collector.metric("upmc_otlp_spans_total")["sent"] == 1 ? true : nil
    }
    #expect(collector.metric("upmc_otlp_spans_total")["dropped"] == 0)
    #expect(collector.metric("upmc_http_request_seconds")["devices"] == 1)
    let scraped = try world.client.call("GET", "/metrics", bearer: world.apiKey).text
    let names = Set(scraped.matches(of: #/# TYPE (\S+)/#).map { String($0.1) })
    let values = names.filter { scraped.contains("\n\($0) ") || scraped.contains("\n\($0){") }
    #expect(values.count > 40, "\(values)")
    // A metric that was first set after the last export comes with the next one.
    var missing: Set<String> = []
    _ = try poll("not exported: \(missing)") {
      missing = values.filter { collector.metric($0).isEmpty }
      return missing.isEmpty ? true : nil
    }
  }

  @Test func `spans wait for a collector that is away, and are sent once it is there`() throws {
    let collector = try TraceCollector()
    collector.answer(503, headers: [("Retry-After", "1")])
    var export = try collector.export
    export.metricsInterval = nil
    let world = try world(export)
    try ask(world, 1)
    _ = try poll("the collector is not asked again") { collector.requests("traces").count >= 2 ? true : nil }
    try ask(world, 2)
    collector.answer(200)
    _ = try poll("the spans do not arrive: \(collector.spans)") {
      collector.requests("traces").count { String(decoding: $0.body, as: UTF8.self).contains("0000000000000002") } > 0
        ? true : nil
    }
    // They are counted when the answer has come, which is after the collector wrote it.
    var metrics = ""
    _ = try poll("the spans are not counted: \(metrics)") {
      metrics = try world.client.call("GET", "/metrics", bearer: world.apiKey).text
      return metrics.contains("upmc_otlp_spans_total{result=\"sent\"} 2\n") ? true : nil
    }
    #expect(metrics.contains("upmc_otlp_spans_total{result=\"lost\"} 0\n"))
  }

  @Test func `what a collector refuses is counted and not sent again`() throws {
    let collector = try TraceCollector()
    collector.answer(200, #"{"partialSuccess":{"rejectedSpans":"1","errorMessage":"too old"}}"#)
    var export = try collector.export
    export.metricsInterval = nil
    let world = try world(export)
    func counted(_ result: String) throws -> Bool {
      try world.client.call("GET", "/metrics", bearer: world.apiKey).text
        .contains("upmc_otlp_spans_total{result=\"\(result)\"} 1\n")
    }
    try ask(world, 1)
    _ = try poll("a partial success is not counted") { try counted("rejected") ? true : nil }
    collector.answer(400)
    try ask(world, 2)
    _ = try poll("a refusal is not counted") { try counted("lost") ? true : nil }
    #expect(collector.requests("traces").count == 2)
  }

  @Test func `the collector gets its headers and our name, and the last spans at a stop`() throws {
    let collector = try TraceCollector()
    var export = try collector.export
    export.metricsInterval = .seconds(3_600)
    export.drain = .patience
    export.headers = [("Authorization", "Bearer collector, secret")]
    let world = try world(export)
    try ask(world, 1)
    world.server.stop()
    let last = try #require(collector.requests("traces").last)
    #expect(last.headers.first { $0.name == "authorization" }?.value == "Bearer collector, secret")
    #expect(last.headers.first { $0.name == "content-type" }?.value == "application/json")
    #expect(last.headers.first { $0.name == "user-agent" }?.value.hasPrefix("upmc/") == true)
    #expect(collector.spans.count == 1)
    // The last values, too, long before their interval is over.
    #expect(collector.requests("metrics").count == 1)
  }

  @Test func `a server with a collector that never answers serves and stops as always, and says so in one line`() throws
  {
    let world = try World()
    world.server.stop()
    // Takes connections and says nothing.
    let silent = try Socket.listen(on: SocketAddress.resolve(host: "127.0.0.1", port: 0)[0])
    let port = try #require(silent.localAddress?.port)
    let server = try world.process([
      "UPMC_OTLP_URL": "http://127.0.0.1:\(port)", "UPMC_OTLP_TIMEOUT": "1", "UPMC_OTLP_TRACE_RATIO": "1",
      "UPMC_OTLP_HEADERS": "authorization=Bearer%20hidden",
    ])
    let (clock, began) = (SystemClock(), SystemClock().now)
    try server.start()
    let client = try TestClient(port: server.port)
    _ = try poll("it complains not: \(server.output)") {
      _ = try? client.call("GET", "/health")
      return server.output.contains("the collector does not take exports") ? true : nil
    }
    for _ in 1...50 { #expect(try client.call("GET", "/health").status == 200) }
    #expect(server.stop() == .exited(0), "\(server.output)")
    let lines = server.output.split(separator: "\n").filter { $0.contains("part=otlp") }
    // One more each minute.
    let minutes = Int((clock.now - began).nanoseconds / 60_000_000_000)
    #expect((1...1 + minutes).contains(lines.count), "\(lines)")
    #expect(!server.output.contains("hidden"))
  }

  @Test func `a collector behind TLS and a proxy gets spans, and one with another certificate gets none`() throws {
    let (authority, proxy) = (try CertificateAuthority(), try ConnectProxy())
    defer { proxy.close() }
    func collector(_ name: String) throws -> TraceCollector {
      let collector = try TraceCollector(
        tls: .server(identity: authority.issueServer(names: [name]), protocols: ["http/1.1"]))
      // A name that only the proxy knows.
      proxy.know(["collector.invalid:\(collector.port)": collector.port])
      return collector
    }
    func world(_ collector: TraceCollector) throws -> World {
      var export = Configuration.Export(
        url: try #require(HTTPURL("https://collector.invalid:\(collector.port)/otel/")))
      export.metricsInterval = nil
      export.timeout = .patience
      return try World(server: { configuration in
        configuration.export = export
        configuration.proxy = try OutboundProxy(proxy.url)
        let file = try #require(configuration.caFile)
        TemporaryDirectory.write(
          file, try String(contentsOfFile: file, encoding: .utf8) + authority.certificatePEM)
      })
    }
    let good = try collector("collector.invalid")
    let first = try world(good)
    try ask(first, 1)
    _ = try poll("the span does not arrive") { good.spans.count == 1 ? true : nil }
    #expect(proxy.asked.contains("collector.invalid:\(good.port)"))

    let bad = try collector("other.invalid")
    let second = try world(bad)
    try ask(second, 2)
    _ = try poll("the failure is not counted") {
      // The export is repeated, so there may be more than one failure by now.
      try second.client.call("GET", "/metrics", bearer: second.apiKey).text
        .contains(#/upmc_otlp_failures_total\{signal="traces"\} [1-9]/#) ? true : nil
    }
    #expect(bad.requests("traces").isEmpty)
  }
}
