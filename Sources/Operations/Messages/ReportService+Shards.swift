package import Domain
package import JSON
package import Postgres
package import Store

/// How far a message's shards are: where a campaign stands that has not ended, and whether a part of it stands still.
extension ReportService {
  /// Sums of all shards, and one page of them.
  package struct ShardsAnswer: JSONAnswer {
    package let seqno: Int64
    package let progress: Shards.Progress
    package let nextCursor: String?

    package func write(to writer: inout JSONWriter) {
      writer.member("seqno", String(seqno))
      writer.member("planned", progress.planned)
      writer.member("shards", progress.count)
      writer.member("exhausted", progress.exhausted)
      writer.member("targeted", progress.targeted)
      writer.member("claimed", progress.claimed)
      writer.member(
        "items",
        array: { writer in
          for shard in progress.page {
            writer.object { writer in
              writer.member("shard", shard.shard)
              writer.member("wave", shard.wave)
              writer.member("targeted", shard.targeted)
              writer.member("claimed", shard.claimed)
              writer.member("exhausted", shard.exhausted)
            }
          }
        })
      writer.member("nextCursor", nextCursor)
    }
  }

  package static func shards(
    of seqno: Int64, _ page: PageRequest, for caller: Caller, on connection: Connection
  ) throws(Problem) -> ShardsAnswer {
    try caller.require(.viewMessages)
    // Shards begin with 0, which is no cursor: one is the shard that a page begins with.
    guard let after = Int32(exactly: try page.number(first: 0) - 1) else { throw PageRequest.foreignCursor }
    // One more than asked for tells whether there is a next page.
    guard var progress = try connection.answer(Shards.progress(seqno, after: after, limit: page.limit + 1)),
      caller.reaches(progress.app)
    else { throw Problem(.unknownMessage, "There is no message \(seqno).") }
    let hasMore = progress.page.count > page.limit
    if hasMore { progress.page.removeLast() }
    return ShardsAnswer(
      seqno: seqno, progress: progress, nextCursor: hasMore ? progress.page.last.map { String($0.shard + 1) } : nil)
  }
}
