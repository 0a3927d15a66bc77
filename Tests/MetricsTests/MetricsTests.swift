import Metrics
import Testing

@Suite struct MetricsTests {
  private func lines(_ metrics: Metrics) -> [Substring] { metrics.text().split(separator: "\n") }

  @Test func `cells of one series are added up, others stand beside it`() {
    let metrics = Metrics()
    let first = metrics.counter("upmc_x_total", "What x is.", ["lane": "bulk"])
    let second = metrics.counter("upmc_x_total", "What x is.", ["lane": "bulk"])
    let other = metrics.counter("upmc_x_total", "What x is.", ["lane": "urgent"])
    first.add()
    second.add(4)
    other.add(2)
    #expect(
      lines(metrics) == [
        "# HELP upmc_x_total What x is.", "# TYPE upmc_x_total counter", #"upmc_x_total{lane="bulk"} 5"#,
        #"upmc_x_total{lane="urgent"} 2"#,
      ])
  }

  @Test func `a histogram counts up to each bound, ends with all, and sums in seconds`() {
    let metrics = Metrics()
    let (one, two) = (
      metrics.histogram("upmc_wait_seconds", "Time.", .latency),
      metrics.histogram("upmc_wait_seconds", "Time.", .latency)
    )
    one.record(500_000)
    one.record(500_001)
    two.record(20_000_000_000, times: 3)
    let text = metrics.text()
    #expect(text.contains("upmc_wait_seconds_bucket{le=\"0.0005\"} 1\n"))
    #expect(text.contains("upmc_wait_seconds_bucket{le=\"0.001\"} 2\n"))
    #expect(text.contains("upmc_wait_seconds_bucket{le=\"10\"} 2\n"))
    #expect(text.contains("upmc_wait_seconds_bucket{le=\"+Inf\"} 5\n"))
    #expect(text.contains("upmc_wait_seconds_count 5\n"))
    #expect(text.contains("upmc_wait_seconds_sum 60.001000001\n"))
  }

  @Test func `every scale has room for what is above its bounds`() {
    for scale in [Histogram.Scale.latency, .waiting, .batch] {
      let metrics = Metrics()
      metrics.histogram("upmc_s", "S.", scale).record(.max)
      #expect(metrics.text().contains("upmc_s_bucket{le=\"+Inf\"} 1\n"))
    }
  }

  @Test func `a gauge has its last value, and what is read is asked for each time`() {
    let metrics = Metrics()
    let gauge = metrics.gauge("upmc_open", "Open.")
    gauge.set(7)
    gauge.set(3)
    metrics.read("upmc_asked", .gauge, "Asked.") { [(["a": "1"], Double(gauge.value) / 2)] }
    #expect(metrics.text().contains("upmc_open 3\n"))
    #expect(metrics.text().contains("upmc_asked{a=\"1\"} 1.5\n"))
    gauge.set(4)
    #expect(metrics.text().contains("upmc_asked{a=\"1\"} 2\n"))
  }

  @Test func `quotes, backslashes and ends of lines cannot break out of a label`() {
    let metrics = Metrics()
    metrics.counter("upmc_y_total", "Y.", ["reason": "a\"b\\c\nd"]).add()
    #expect(lines(metrics).last == #"upmc_y_total{reason="a\"b\\c\nd"} 1"#)
  }
}
