package import Domain
internal import Postgres

/// Finds what is still to be sent to an audience that names a group, whose deletion would change who gets it.
package enum GroupUses {
  /// SQL condition: the audience of `request` names the group `$2`, directly or in the conditions of a segment.
  private static let namesGroup = """
    -- Lists of users are long, and name no group.
    CASE WHEN request#>'{audience,groups}' IS NOT NULL OR request#>'{audience,segment}' IS NOT NULL
      THEN jsonb_path_exists((request->'audience')::jsonb, '$.**.groups[*] ? (@ == $number || @ == $text)',
        jsonb_build_object('number', $2::bigint, 'text', ($2::bigint)::text))
      ELSE false END
    """

  private static let messagesStatement = Statement(
    "group-uses-messages",
    """
    SELECT m.seqno FROM messages m
    WHERE m.app = $1 AND m.purpose = 0 AND m.state < \(MessageState.completed.sql) AND m.cancelled_at IS NULL
      -- A resend goes to recipients of the earlier message.
      AND m.resend_of IS NULL
      -- Devices are read from the group until the last of them is claimed.
      AND (NOT m.planned OR EXISTS (SELECT FROM shards s WHERE s.seqno = m.seqno AND NOT s.exhausted))
      AND \(namesGroup)
    ORDER BY m.seqno LIMIT $3
    """)

  /// Returns at most `limit` messages of an app in ascending order of SEQNO that name the group in their audience, and
  /// of which devices are left to be claimed. Of a repetition that is its next occurrence.
  package static func messages(naming group: Groups.Number, of app: App.Number, limit: Int) -> Query<[Seqno]> {
    Query(each: messagesStatement, app, group, limit) { $0.seqno() }
  }

  private static let approvalsStatement = Statement(
    "group-uses-approvals",
    """
    SELECT approval FROM approvals
    -- One that is held is a message.
    WHERE app = $1 AND state = \(Approvals.State.waiting.sql) AND NOT held AND resend_of IS NULL
      AND ends_at > clock_timestamp() AND \(namesGroup)
    ORDER BY approval LIMIT $3
    """)

  /// Returns at most `limit` requests of an app in ascending order of number that wait for approval and name the group
  /// in their audience.
  package static func approvals(
    naming group: Groups.Number, of app: App.Number, limit: Int
  ) -> Query<[Approvals.Number]> {
    Query(each: approvalsStatement, app, group, limit) { $0.int64() }
  }
}
