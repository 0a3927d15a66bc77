import FoundationEssentials
internal import Postgres

/// PostgreSQL's log of every statement that sessions of a database run, with its plan and everything read for it.
package struct PlanLog {
  package struct Entry {
    package let sql: String
    /// The id of the PostgreSQL process that serves the session.
    package let process: Int32
    /// Pages read, including those in memory.
    package let blocks: Int
    /// Rows of tables and their indexes that were looked at, also those that did not fit.
    package let rows: Int
    /// Rows returned.
    package let answer: Int
    /// Each node with what it read, the largest first.
    package let parts: [String]
  }

  private let path: String
  private let start: Int

  /// From now on; for sessions that begin later.
  package init(of database: TestDatabase) throws {
    try database.connect().script(
      (["session_preload_libraries = 'auto_explain'"]
        + [
          "log_min_duration = 0", "log_analyze = on", "log_buffers = on", "log_timing = off", "log_format = json",
          "log_nested_statements = on",
        ].map { "auto_explain." + $0 })
        .map { "ALTER DATABASE \(database.name) SET \($0)" }.joined(separator: ";"))
    path = TestCluster.shared.directory + "/log"
    start = try Data(contentsOf: URL(filePath: path)).count
  }

  /// All that have run since.
  package func entries() throws -> [Entry] {
    let text = String(decoding: try Data(contentsOf: URL(filePath: path)).dropFirst(start), as: UTF8.self)
    var entries: [Entry] = []
    var plan: [Substring]?
    var process: Int32 = 0
    func end() {
      if let lines = plan, let entry = Self.entry(lines.joined(separator: "\n"), process) { entries.append(entry) }
      plan = nil
    }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("\t") {
        plan?.append(line)
      } else {
        end()
        guard line.hasSuffix(" plan:") else { continue }
        plan = []
        // "2026-11-22 21:00:00.000 UTC [123] LOG:  duration: …"
        process = line.split(separator: "[").dropFirst().first.flatMap { Int32($0.prefix { $0 != "]" }) } ?? 0
      }
    }
    end()
    return entries
  }

  private static func entry(_ json: String, _ process: Int32) -> Entry? {
    guard let logged = try? JSONDecoder().decode(Logged.self, from: Data(json.utf8)) else { return nil }
    let scans = logged.plan.scans
    return Entry(
      sql: logged.sql, process: process, blocks: logged.plan.blocks, rows: scans.reduce(0) { $0 + $1.read },
      answer: logged.plan.answer,
      parts: scans.sorted { $0.read > $1.read }.map { "\($0.read) rows: \($0.name)" })
  }

  private struct Logged: Decodable {
    let sql: String
    let plan: Node

    enum CodingKeys: String, CodingKey {
      case sql = "Query Text"
      case plan = "Plan"
    }
  }

  private struct Node: Decodable {
    let type: String
    let relation: String?
    let index: String?
    let condition: String?
    let rows: Double
    let loops: Double
    let filtered: Double?
    let rechecked: Double?
    let hit: Int?
    let read: Int?
    let plans: [Node]?

    enum CodingKeys: String, CodingKey {
      case type = "Node Type"
      case relation = "Relation Name"
      case index = "Index Name"
      case condition = "Index Cond"
      case rows = "Actual Rows"
      case loops = "Actual Loops"
      case filtered = "Rows Removed by Filter"
      case rechecked = "Rows Removed by Index Recheck"
      case hit = "Shared Hit Blocks"
      case read = "Shared Read Blocks"
      case plans = "Plans"
    }

    var blocks: Int { (hit ?? 0) + (read ?? 0) }
    var answer: Int { Int(rows * loops) }

    /// Every look at a table below and here.
    var scans: [(name: String, read: Int)] {
      let below = (plans ?? []).flatMap(\.scans)
      guard type.contains("Scan"), relation != nil || index != nil else { return below }
      let name = [type, index, relation, condition].compactMap { $0 }.joined(separator: " ")
      return [(name, Int((rows + (filtered ?? 0) + (rechecked ?? 0)) * loops))] + below
    }
  }
}
