import Foundation
import Postgres
import Reactor
import Simulator
import TestTier
import Testing

/// How much is stored while jobs are done: little in the suite, a bank's with `make console-jobs`.
struct JobVolume {
  var singleSends = 3_000
  var campaigns = 60
  /// Of the files that are brought in.
  var lines = 2_000
  var isFull = false

  static let current: JobVolume = {
    guard ProcessInfo.processInfo.environment["TEST_CONSOLE_JOBS"] == "full" else { return JobVolume() }
    return JobVolume(singleSends: 100_000, campaigns: 300, lines: 50_000, isFull: true)
  }()

  /// Messages that are over, from the last days.
  func fill(_ console: ConsoleWorld) throws {
    for (count, purpose) in [(singleSends, 1), (campaigns, 0)] {
      try console.connection.script(
        """
        INSERT INTO messages (app, state, lane, purpose, request, request_sha256, targeted, created_at, expires_at,
          frozen_at, planned, finished_at)
        SELECT 1, 4, 1, \(purpose), json_build_object('alert', 'No ' || n), '', 1, at, at + interval '1 day', at, true, at
        FROM generate_series(1, \(count)) n, LATERAL (SELECT now() - n * interval '1 minute' AS at) t
        """)
    }
    try console.connection.script("ANALYZE")
  }
}

/// Whole jobs, from the dashboard to their end, in no more steps than they may take.
@Suite(.slow, .serialized) struct WholeJobTests {
  @Test func `each job is done in as few steps as it may take`() throws {
    let console = try ConsoleWorld(publicURL: "http://push.example.com")
    let browser = console.browser
    try console.startDevices(12, users: 6)
    try console.waitForDevices(12)
    try console.world.register("kim", token: World.token("a7"), user: "kim")
    try JobVolume.current.fill(console)
    try console.invite("lee@example.com", "이서연")
    try console.enter("ko")
    let clock = SystemClock()
    var lines = ["| job | steps first | now | seconds |", "| --- | --- | --- | --- |"]
    for job in WholeJob.all {
      do {
        try job.prepare(console)
        try begin(browser)
        let (steps, began) = (browser.steps, clock.now)
        try job.perform(console)
        let taken = browser.steps - steps
        let seconds = Double((clock.now - began).nanoseconds) / 1e9
        #expect(taken <= job.most, "\(job.name)")
        let first = job.first.map { "\($0)" } ?? "not possible"
        lines.append("| \(job.name) | \(first) | \(taken) | \(String(format: "%.1f", seconds)) |")
        if JobVolume.current.isFull { print(lines.last ?? "") }
      } catch {
        Issue.record("\(job.name): \(error)")
      }
    }
    if JobVolume.current.isFull { print(lines.joined(separator: "\n")) }
  }

  /// The dashboard, loaded anew: what the job before has left open is none of the next one's.
  private func begin(_ browser: Browser) throws {
    try browser.open("/")
    try browser.waitFor("main[data-ready='/']")
  }
}
