import Foundation
import Metrics
import OTLP
import Testing
import Time

/// The bytes that a collector receives for metrics.
@Suite struct OTLPMetricsTests {
  private let resource = OTLPResource(name: "upmc", version: "1.2", instance: "node-7", host: "")

  /// The metrics of a body, by name, without their descriptions.
  private func sent(_ metrics: Metrics) throws -> [String: NSDictionary] {
    let body = OTLPMetrics.body(
      metrics.samples(),
      OTLPMetrics.Period(
        began: Timestamp(microseconds: 1_700_000_000_000_001), now: Timestamp(microseconds: 1_700_000_000_000_009)),
      of: resource)
    let whole = try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
    let resources = try #require((whole["resourceMetrics"] as? [[String: Any]])?.first)
    let scope = try #require((resources["scopeMetrics"] as? [[String: Any]])?.first)
    return Dictionary(
      uniqueKeysWithValues: try #require(scope["metrics"] as? [[String: Any]]).map {
        ($0["name"] as? String ?? "", NSDictionary(dictionary: $0))
      })
  }

  private func json(_ text: String) throws -> NSDictionary {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary)
  }

  @Test func `a counter is a monotonic sum, counted since the process began`() throws {
    let metrics = Metrics()
    metrics.counter("upmc_x_total", "What x is.", ["lane": "bulk"]).add(5)
    metrics.counter("upmc_x_total", "What x is.", ["lane": "bulk"]).add(2)
    metrics.counter("upmc_x_total", "What x is.", ["lane": "urgent"]).add(1)
    #expect(
      try sent(metrics)["upmc_x_total"]
        == json(
          """
          {"name":"upmc_x_total","description":"What x is.","sum":{"aggregationTemporality":2,"isMonotonic":true,
           "dataPoints":[
            {"attributes":[{"key":"lane","value":{"stringValue":"bulk"}}],"startTimeUnixNano":"1700000000000001000",
             "timeUnixNano":"1700000000000009000","asInt":"7"},
            {"attributes":[{"key":"lane","value":{"stringValue":"urgent"}}],"startTimeUnixNano":"1700000000000001000",
             "timeUnixNano":"1700000000000009000","asInt":"1"}]}}
          """))
  }

  @Test func `a gauge has a value and a time, and a unit where its name says one`() throws {
    let metrics = Metrics()
    metrics.gauge("upmc_open", "Open.").set(-3)
    metrics.read("upmc_age_seconds", .gauge, "Age.") { [(Labels(), 1.5)] }
    metrics.read("upmc_none", .gauge, "Nothing.") { [] }
    let sent = try sent(metrics)
    #expect(
      try sent["upmc_open"]
        == json(
          """
          {"name":"upmc_open","description":"Open.","gauge":{"dataPoints":[
           {"attributes":[],"timeUnixNano":"1700000000000009000","asInt":"-3"}]}}
          """))
    #expect(
      try sent["upmc_age_seconds"]
        == json(
          """
          {"name":"upmc_age_seconds","description":"Age.","unit":"s","gauge":{"dataPoints":[
           {"attributes":[],"timeUnixNano":"1700000000000009000","asDouble":1.5}]}}
          """))
    // A metric without points would be one without data to a collector.
    #expect(sent["upmc_none"] == nil)
  }

  @Test func `a histogram has a count for each bucket, one more than bounds`() throws {
    let metrics = Metrics()
    let histogram = metrics.histogram("upmc_batch", "Sizes.", .batch)
    histogram.record(1, times: 2)
    histogram.record(3)
    histogram.record(1_000_000)
    #expect(
      try sent(metrics)["upmc_batch"]
        == json(
          """
          {"name":"upmc_batch","description":"Sizes.","histogram":{"aggregationTemporality":2,"dataPoints":[
           {"attributes":[],"startTimeUnixNano":"1700000000000001000","timeUnixNano":"1700000000000009000","count":"4",
            "sum":1000005,"bucketCounts":["2","0","1","0","0","0","0","0","0","0","0","0","0","1"],
            "explicitBounds":[1,2,4,8,16,32,64,128,256,512,1024,2048,4096]}]}}
          """))
  }

  @Test func `what JSON has no number for is a string`() throws {
    let metrics = Metrics()
    metrics.read("upmc_odd", .gauge, "Odd.") { [(Labels(), .nan), (Labels(), .infinity), (Labels(), -.infinity)] }
    let points = try #require(
      (try sent(metrics)["upmc_odd"]?["gauge"] as? [String: Any])?["dataPoints"] as? [[String: Any]])
    #expect(points.map { $0["asDouble"] as? String } == ["NaN", "Infinity", "-Infinity"])
  }
}
