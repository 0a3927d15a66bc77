internal import Postgres
internal import Store

/// Writes down how deliveries of blocks ended, or for what they wait, within a transaction: as states where they are ordinary,
/// else in rows.
struct BlockWriter {
  /// Those that have not ended before, and are noted in their block.
  private(set) var taken: [Decisions.Decision] = []
  /// Those that are for `outcomes`.
  private(set) var rows: [Decisions.Decision] = []

  init(_ decisions: [Decisions.Decision], at now: Int64, _ connection: Connection) throws(PostgresError) {
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
      // A block that is gone: nobody is told any more how its deliveries ended.
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
