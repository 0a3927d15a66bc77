package import Domain
package import JSON
package import Postgres
package import Store

/// Progress of a message's shards: shows how far a running campaign is and whether a part of it is stuck.
extension ReportService {
  /// Totals over all shards of a message, and one page of the shards, in the order of their numbers.
  package struct ShardsAnswer: DescribedAnswer {
    package let seqno: Seqno
    package let progress: Shards.Progress
    package let nextCursor: String?

    package static let object = JSONObject<ShardsAnswer>(
      "ShardPage",
      [
        .always("seqno", .sequence, \.seqno),
        .always("planned", .flag, \.progress.planned, "The whole audience is cut into shards."),
        .always("shards", .count, \.progress.count, "How many there are by now."),
        .always("exhausted", .count, \.progress.exhausted, "Those that have nothing more to claim."),
        .always("targeted", .count, \.progress.targeted, "Devices of all shards, as counted."),
        .always("claimed", .count, \.progress.claimed, "Devices that have been taken to be sent to."),
        .always("items", .list(of: shard.form), \.progress.page), PageRequest.nextCursor.of(\.nextCursor),
      ])

    package static let shard = JSONObject<Shards.Progress.Shard>(
      "Shard",
      [
        .always("shard", .count, \.shard), .always("wave", .count, \.wave, "Of a message in local time; 0 otherwise."),
        .always("targeted", .count, \.targeted), .always("claimed", .count, \.claimed),
        .always("exhausted", .flag, \.exhausted),
      ])
  }

  package static func shards(
    of seqno: Seqno, _ page: PageRequest, for caller: Caller, on connection: Connection
  ) throws(Problem) -> ShardsAnswer {
    try caller.require(.viewMessages)
    // Shard numbers start at 0, which is not a valid cursor, so the cursor is the number plus one.
    guard let after = Int32(exactly: try page.number(first: 0) - 1) else { throw PageRequest.foreignCursor }
    // One extra shard indicates that a next page exists.
    guard var progress = try connection.answer(Shards.progress(seqno, after: after, limit: page.limit + 1)),
      caller.reaches(progress.app)
    else { throw Problem(.unknownMessage, "There is no message \(seqno).") }
    let hasMore = progress.page.count > page.limit
    if hasMore { progress.page.removeLast() }
    return ShardsAnswer(
      seqno: seqno, progress: progress,
      nextCursor: hasMore ? progress.page.last.map { PageRequest.cursor(behind: String($0.shard + 1)) } : nil)
  }
}
