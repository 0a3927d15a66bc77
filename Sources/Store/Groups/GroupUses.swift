package import Domain
internal import Postgres

/// Finds messages and requests still to be sent whose audience names certain groups, so that taking one away would
/// change who gets them.
package enum GroupUses {
  /// SQL condition: the audience of `request` names one of the groups `$2`, directly or in the conditions of a segment.
  private static let namesGroup = """
    -- Skip lists of users, which are long and name no group.
    CASE WHEN request#>'{audience,groups}' IS NOT NULL OR request#>'{audience,segment}' IS NOT NULL
      THEN jsonb_path_exists((request->'audience')::jsonb,
        '$.**.groups[*] ? (@ == $numbers[*] || @ == $texts[*])',
        jsonb_build_object('numbers', $2::bigint[], 'texts', ($2::bigint[])::text[]))
      ELSE false END
    """

  private static let messagesStatement = Statement(
    "group-uses-messages",
    """
    SELECT m.seqno FROM messages m
    WHERE m.app = $1 AND m.purpose = 0 AND m.state < \(MessageState.completed.sql) AND m.cancelled_at IS NULL
      -- A resend goes to recipients of the earlier message, whatever its audience says.
      AND m.resend_of IS NULL
      -- Devices are read from the group until the last of them is claimed.
      AND (NOT m.planned OR EXISTS (SELECT FROM shards s WHERE s.seqno = m.seqno AND NOT s.exhausted))
      AND \(namesGroup)
    ORDER BY m.seqno LIMIT $3
    """)

  /// Returns at most `limit` messages of an app, in ascending order of SEQNO, that name one of the groups in their
  /// audience and have devices left to claim. A repeating message is represented by its next occurrence.
  package static func messages(
    naming groups: some Collection<Groups.Number>, of app: App.Number, limit: Int
  ) -> Query<[Seqno]> {
    Query(each: messagesStatement, app, Groups.column(groups), limit) { $0.seqno() }
  }

  private static let approvalsStatement = Statement(
    "group-uses-approvals",
    """
    SELECT approval FROM approvals
    -- A held request is a message: the other statement finds it.
    WHERE app = $1 AND state = \(Approvals.State.waiting.sql) AND NOT held AND resend_of IS NULL
      AND ends_at > clock_timestamp() AND \(namesGroup)
    ORDER BY approval LIMIT $3
    """)

  /// Returns at most `limit` requests of an app, in ascending order of number, that await approval and name one of the
  /// groups in their audience.
  package static func approvals(
    naming groups: some Collection<Groups.Number>, of app: App.Number, limit: Int
  ) -> Query<[Approvals.Number]> {
    Query(each: approvalsStatement, app, Groups.column(groups), limit) { $0.int64() }
  }
}
