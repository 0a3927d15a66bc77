import Foundation
import Operations
import Postgres
import Reactor
import Server
import TestSupport
import TestTier
import Testing

/// What a monitoring system sees: scraped by Prometheus itself, and checked by its own tool.
@Suite(.slow, .serialized) struct MetricsScrapeTests {
  private static let operations = TestDatabase.migrationsDirectory.replacing("/Migrations", with: "/Public/operations")
  private static let token = World.token("c3")

  private func world() throws -> World {
    let collector = try TraceCollector()
    let export = try collector.export
    let world = try World(server: {
      $0.metricsListen = ("127.0.0.1", 0)
      // Some metrics are there only where something is exported.
      $0.export = export
    })
    #expect(try world.register("d1", token: Self.token, user: "kim").status == 201)
    _ = try world.finished(try world.send(#"{"clientUids":["kim"]}"#))
    return world
  }

  private func port(_ world: World) throws -> UInt16 { try #require(world.server.metricsAddress).port }

  /// Runs a tool to its end; answers whether it was content, and what it said.
  private func run(_ command: String) throws -> (isContent: Bool, said: String) {
    let output = TemporaryDirectory.make() + "/output"
    var child = try ChildProcess.start(["/bin/sh", "-c", command], output: .file(output), errors: .file(output))
    let ending = child.wait(atMost: .patience)
    return (ending == .exited(0), TemporaryDirectory.read(output) ?? "")
  }

  @Test func `the public address shows metrics only to a key that reaches every app`() throws {
    let world = try world()
    #expect(try world.client.call("GET", "/metrics").status == 401)
    #expect(try world.client.call("GET", "/metrics", bearer: "upmc_wrong").status == 401)
    let narrow = try Administration.createKey(.admin, appID: World.appID, by: .commandLine, on: world.connection)
    _ = try poll("the key for one app is not refused") {
      try world.client.call("GET", "/metrics", bearer: narrow.apiKey).status == 403 ? true : nil
    }
    // Outcomes are counted once they are committed: a moment after the message is over.
    let shown = try poll("the key that reaches all is refused, or the push is not counted") {
      let reply = try world.client.call("GET", "/metrics", bearer: world.apiKey)
      return reply.text.contains("upmc_outcomes_total{status=\"accepted\"} 1\n") ? reply : nil
    }
    #expect(shown.status == 200)
    #expect(shown.text.contains(/upmc_build_info\{version="[0-9.]+"\} 1\n/))
    #expect(try TestClient(port: try port(world)).call("GET", "/v1/admin/apps").status == 404)
  }

  @Test func `promtool has nothing against the metrics, and all that dashboard and rules name is there`() throws {
    let world = try world()
    let client = try TestClient(port: try port(world))
    var wanted: Set<String> = []
    for name in ["alerts.yml", "grafana-dashboard.json"] {
      let content = try #require(TemporaryDirectory.read("\(Self.operations)/\(name)"))
      let names = Set(content.matches(of: #/\b(?:upmc|process)_[a-z_]+/#).map { String($0.0) })
      #expect(names.count > 10)
      wanted.formUnion(names.map { $0.replacing(#/_bucket$/#, with: "") })
    }
    let named = wanted
    func lacking(_ text: String) -> [String] { named.filter { !text.contains("# TYPE \($0) ") }.sorted() }
    // Each thread brings its own metrics when it begins.
    let text = try poll(
      "the database has not been looked at, or the server lacks metrics that alerts or dashboard name: "
        + "\(lacking((try? client.call("GET", "/metrics").text) ?? ""))"
    ) {
      let text = try client.call("GET", "/metrics").text
      return text.contains("upmc_nodes 1\n") && lacking(text).isEmpty ? text : nil
    }
    let file = TemporaryDirectory.make() + "/metrics"
    TemporaryDirectory.write(file, text)
    let metrics = try run("promtool check metrics < \(file)")
    #expect(metrics.isContent && metrics.said.isEmpty, "\(metrics.said)")
    let rules = try run("promtool check rules \(Self.operations)/alerts.yml")
    #expect(rules.isContent, "\(rules.said)")
  }

  @Test func `rules fire where a metric is not there at all: no node is found, no push was ever taken`() throws {
    let directory = TemporaryDirectory.make()
    defer { TemporaryDirectory.remove(directory) }
    let firing = #"ALERTS{alertstate="firing"}"#
    let down = Self.alert("UPMCDown")
    let nothingIsTaken = Self.alert("UPMCNothingIsTaken")
    let otherIsDown = Self.alert("UPMCDown", #", instance="b""#)
    // Of a quarter of an hour: first nobody answers and nothing was ever taken, then one node has ended and another
    // one pushes.
    TemporaryDirectory.write(
      directory + "/rules.yml",
      """
      rule_files: ["\(Self.operations)/alerts.yml"]
      evaluation_interval: 15s
      tests:
        - interval: 15s
          input_series:
            - {series: 'upmc_under_way_devices{job="upmc", instance="a"}', values: '5+0x60'}
          promql_expr_test:
            - expr: \(firing)
              eval_time: 11m
              exp_samples:
                - {labels: '\(down)', value: 1}
                - {labels: '\(nothingIsTaken)', value: 1}
        - interval: 15s
          input_series:
            - {series: 'up{job="upmc", instance="a"}', values: '1+0x60'}
            - {series: 'up{job="upmc", instance="b"}', values: '0+0x60'}
            - {series: 'upmc_under_way_devices{job="upmc", instance="a"}', values: '5+0x60'}
            - {series: 'upmc_push_last_accepted_timestamp_seconds{job="upmc", instance="a"}', values: '0+15x60'}
          promql_expr_test:
            - expr: \(firing)
              eval_time: 11m
              exp_samples:
                - {labels: '\(otherIsDown)', value: 1}
      """)
    let tested = try run("promtool test rules \(directory)/rules.yml")
    #expect(tested.isContent, "\(tested.said)")
  }

  @Test func `a network that takes nothing is reported of each node, although the other one and the other node push`()
    throws
  {
    let directory = TemporaryDirectory.make()
    defer { TemporaryDirectory.remove(directory) }
    func series(_ name: String, _ labels: String, _ values: String) -> String {
      #"{series: '\#(name){job="upmc", \#(labels)}', values: '\#(values)'}"#
    }
    let firing = #"ALERTS{alertname="UPMCNetworkAway", alertstate="firing"}"#
    func away(_ instance: String, _ network: String) -> String {
      Self.alert("UPMCNetworkAway", #", instance="\#(instance)", network="\#(network)""#)
    }
    // Node a has no way to Apple, and tries now and then. Google answers node b with errors alone. Of node c one push
    // met an error, and nothing was asked for since.
    TemporaryDirectory.write(
      directory + "/rules.yml",
      """
      rule_files: ["\(Self.operations)/alerts.yml"]
      evaluation_interval: 15s
      tests:
        - interval: 15s
          input_series:
            - \(series("upmc_push_held_back", #"instance="a", network="apns""#, "1 0 0 1 1 1 0 1+0x60"))
            - \(series("upmc_push_answers_total", #"instance="a", network="apns", result="accepted""#, "7+0x80"))
            - \(series("upmc_push_answers_total", #"instance="a", network="fcm", result="accepted""#, "0+9x80"))
            - \(series("upmc_push_held_back", #"instance="b", network="apns""#, "0+0x80"))
            - \(series("upmc_push_answers_total", #"instance="b", network="apns", result="accepted""#, "0+9x80"))
            - \(series("upmc_push_answers_total", #"instance="b", network="apns", result="unknown""#, "0+1x80"))
            - \(series("upmc_push_answers_total", #"instance="b", network="fcm", result="UNAVAILABLE""#, "0+9x80"))
            - \(series("upmc_push_answers_total", #"instance="c", network="fcm", result="unknown""#, "0 1+0x80"))
          promql_expr_test:
            - expr: \(firing)
              eval_time: 3m
              exp_samples: []
            - expr: \(firing)
              eval_time: 11m
              exp_samples:
                - {labels: '\(away("a", "apns"))', value: 1}
                - {labels: '\(away("b", "fcm"))', value: 1}
      """)
    let tested = try run("promtool test rules \(directory)/rules.yml")
    #expect(tested.isContent, "\(tested.said)")
  }

  /// The series of an alert that pages.
  private static func alert(_ name: String, _ more: String = "") -> String {
    #"ALERTS{alertname="\#(name)", alertstate="firing", job="upmc", severity="page"\#(more)}"#
  }

  @Test func `Prometheus scrapes it`() throws {
    let world = try world()
    let directory = TemporaryDirectory.make()
    defer { TemporaryDirectory.remove(directory) }
    let free = try LastingPort.find()
    TemporaryDirectory.write(
      directory + "/prometheus.yml",
      """
      scrape_configs:
        - job_name: upmc
          scrape_interval: 1s
          static_configs: [{targets: ["127.0.0.1:\(try port(world))"]}]
      rule_files: ["\(Self.operations)/alerts.yml"]
      """)
    var prometheus = try ChildProcess.start(
      [
        "prometheus", "--config.file=\(directory)/prometheus.yml", "--storage.tsdb.path=\(directory)/data",
        "--web.listen-address=127.0.0.1:\(free)",
      ], output: .file(directory + "/log"), errors: .file(directory + "/log"))
    defer { _ = prometheus.stop(timeout: .seconds(10)) }
    func answer() -> String {
      let reply = try? TestClient(port: free).call("GET", "/api/v1/query?query=sum(upmc_outcomes_total)")
      return reply?.text ?? ""
    }
    // Its first look may come before the push is counted.
    _ = try poll("Prometheus has no push: \(answer()) \(TemporaryDirectory.read(directory + "/log") ?? "")") {
      let text = answer()
      return text.contains("\"value\":[") && text.contains("\"1\"]") ? true : nil
    }
  }

  @Test func `readiness says what keeps pushes from leaving`() throws {
    let world = try world()
    let well = try poll("it is not well") {
      let reply = try world.client.call("GET", "/ready")
      return reply.string("status") == "ok" ? reply : nil
    }
    #expect(well.status == 200 && well.int("credentials") == 1 && well.string("lastAcceptedAt") != nil)
    try world.connection.script("UPDATE apps SET paused_reason = 'because'")
    let poor = try poll("it does not complain") {
      let reply = try world.client.call("GET", "/ready")
      return reply.string("status") == "degraded" ? reply : nil
    }
    #expect(poor.status == 200 && poor.text.contains("1 apps are paused"), "\(poor.text)")
    #expect(!poor.text.contains(World.appID))
  }
}
