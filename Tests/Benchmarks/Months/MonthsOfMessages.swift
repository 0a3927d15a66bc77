internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Reactor
internal import Store
import Time

/// Finished messages, as months of single sends leave them: copied into the tables, without deliveries.
enum MonthsOfMessages {
  /// Free disk space required at the database, in bytes: thirty million messages take a third of it, including the
  /// write-ahead log.
  static let neededBytes = 40 << 30

  private static let request =
    #"{"appId":"\#(StageDevices.appID)","audience":{"clientUids":["user1"]},"alert":"Code 123456","lane":"urgent"}"#

  /// Adds messages up to a total of `count`, the newest of them a day old, each with its totals.
  static func grow(to count: Int, from present: Int, _ plan: Plan, on connection: Connection) throws {
    plan.say("  copying \(count - present) messages that are over")
    let now = SystemClock().wallTime
    let first = try connection.run(Messages.last()).number + 1
    let last = first + Int64(count - present) - 1
    for start in stride(from: first, through: last, by: 1_000_000) {
      try Interruption.check()
      try FinishedMessages.copy(
        start...min(last, start + 999_999), endedAt: { now - .seconds(86_400) - .milliseconds((last - $0) * 100) },
        request: request,
        on: connection)
    }
    try connection.script("VACUUM (ANALYZE)")
    try connection.script("CHECKPOINT")
  }

  /// Adds what single sends leave behind while a session holds a snapshot: each was claimed and sent by a node, and
  /// vacuum can remove none of it.
  static func pile(_ count: Int, _ plan: Plan, on connection: Connection) throws {
    plan.say("  \(count) sends while a snapshot is kept")
    try connection.script(
      """
      DO $$ DECLARE
        holder uuid := (SELECT node FROM nodes WHERE alive_until > now() LIMIT 1);
        -- Taken into variables: what may change from row to row, as the value of a sequence, is no condition of an index.
        sent bigint;
        claimed bigint;
      BEGIN
      FOR part IN 1..\(count / 1000) LOOP
        INSERT INTO messages (app, state, lane, request, request_sha256, targeted, created_at, expires_at, frozen_at,
          planned)
        SELECT 1, 2, 0, '{}', '', 1, now(), now() + interval '1 day', now(), true FROM generate_series(1, 1000);
        sent := currval('messages_seqno_seq');
        INSERT INTO claims (seqno, node, devices, user_keys)
        SELECT sent - 1000 + n, holder, ARRAY[gen_random_uuid()], ARRAY['ux'] FROM generate_series(1, 1000) n;
        claimed := currval('claims_claim_seq');
        DELETE FROM claims WHERE claim > claimed - 1000 AND user_keys = ARRAY['ux'];
        UPDATE messages SET state = 4, finished_at = now() WHERE seqno > sent - 1000;
        COMMIT;
      END LOOP; END $$
      """)
  }
}
