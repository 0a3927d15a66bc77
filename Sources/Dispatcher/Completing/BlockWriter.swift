internal import Postgres
internal import Store
internal import Time

/// Writes decisions about deliveries of blocks, within a transaction: outcomes that a block's row can express become a
/// state in that row, and deferrals of untried deliveries also get a row in `waits`. All other decisions are left in
/// `rows`, for the caller to write. Drops decisions for deliveries that have a final outcome or are deferred twice, and
/// for blocks that were removed.
struct BlockWriter {
  /// Decisions that were recorded in a block, for deliveries that had no final outcome before.
  private(set) var taken: [Decisions.Decision] = []
  /// Decisions that need a row in `outcomes`.
  private(set) var rows: [Decisions.Decision] = []

  init(_ decisions: [Decisions.Decision], at now: Timestamp, _ connection: Connection) throws(PostgresError) {
    let ids = Set(decisions.compactMap(\.place?.block))
    guard !ids.isEmpty else {
      rows = decisions
      return
    }
    let before = try connection.run(Blocks.lock(ids))
    var blocks = before
    var waits: [Waits.Key: [Int32]] = [:]
    for decision in decisions {
      guard let place = decision.place else {
        rows.append(decision)
        continue
      }
      // If retention has removed the block, there is nothing to record.
      let state = BlockState(decision.record)
      guard let verdict = blocks[place.block]?.settle(Int(place.position), as: state, at: now) else { continue }
      switch verdict {
      case .taken where state == .waits:
        let record = decision.record
        waits[Waits.Key(block: place.block, dueAt: record.dueAt ?? now, reason: record.reason ?? ""), default: []]
          .append(place.position)
        taken.append(decision)
      case .taken: taken.append(decision)
      case .row: rows.append(decision)
      case .late: break
      }
    }
    let changed = blocks.filter { $0.value != before[$0.key] }
    if !changed.isEmpty { try connection.run(Blocks.save(changed)) }
    if !waits.isEmpty { try connection.run(Waits.add(waits, at: now)) }
  }
}
