package import Domain
package import Postgres
package import Time

/// Direct sends: messages to named users. A committer stores many of them per statement, each with its audience, badge
/// counts and claim, and commits them together with other waiting operations. Decision 011.
package enum DirectSends {
  /// The SEQNO and send date that are assigned to a message before it is stored, so that a retry either finds the
  /// stored message or stores it under the same SEQNO.
  package struct Number: Sendable {
    package let seqno: Seqno
    /// Date and hour shown in the payload, as `yyyyMMddHH` in the app's time zone.
    package let sendDate: String
    /// When the number was assigned, which is the time of the first attempt to store the message.
    package let givenAt: Timestamp
  }

  private static let numberStatement = Statement(
    "named-sends-number",
    """
    -- Before the first number is given: none may be given twice after a promotion.
    WITH followed AS MATERIALIZED (SELECT follow_timeline())
    SELECT n.entry, nextval('messages_seqno_seq'), z.send_date, z.is_held
    FROM followed, unnest($1) WITH ORDINALITY AS n(app, entry)
      -- Once an app, not once a message; and no app is compared with each of a thousand entries.
      JOIN (SELECT a.app, to_char($2 AT TIME ZONE \(TimeZones.ofApp), 'YYYYMMDDHH24') AS send_date,
          a.paused_reason IS NOT NULL AS is_held
        FROM (SELECT DISTINCT app FROM unnest($1) AS t(app)) t JOIN apps a ON a.app = t.app OFFSET 0) z ON z.app = n.app
    """)

  /// Assigns a new SEQNO to each element of `apps`. Returns the numbers by index in `apps`, and whether the app is
  /// paused. Elements whose app no longer exists are omitted. Assigned SEQNOs that are not used remain gaps.
  package static func number(
    _ apps: [App.Number], at now: Timestamp
  ) -> Query<[Int: (number: Number, isHeld: Bool)]> {
    var column = Int32Column()
    for app in apps { column.append(app) }
    return Query(numberStatement, column, now) {
      $0.dictionary { row in
        (Int(row.int64()) - 1, (Number(seqno: row.seqno(), sendDate: row.text(), givenAt: now), row.bool()))
      }
    }
  }

  private static let passStatement = Statement(
    "named-sends-pass",
    """
    SELECT count(nextval('messages_seqno_seq'))
    FROM messages_seqno_seq s CROSS JOIN LATERAL generate_series(s.last_value + s.is_called::integer, $1) n
    """)

  /// Makes the next number higher than `last`, which was assigned before. Changes nothing unless the database has
  /// crashed since: it then forgets numbers of which nothing was committed.
  package static func pass(_ last: Seqno) -> Query<Void> {
    Query(passStatement, last) { _ in }
  }

  private static let membersStatement = Statement(
    "named-sends-members",
    """
    SELECT \(Audiences.memberColumns), d.app
    FROM unnest($1, $2) AS t(app, user_key)
    JOIN devices d ON d.app = t.app AND d.user_key = t.user_key AND d.state = \(Devices.State.active.sql)
    ORDER BY d.user_key, d.device
    """)

  /// Returns the active devices of the given users, in order of device id. The users must be distinct; those without
  /// active devices are omitted.
  package static func members(_ users: some Collection<Users.Key>) -> Query<[Users.Key: [Audiences.Member]]> {
    Query(membersStatement, Users.keys(users), read: Audiences.membersByUser)
  }

  // MARK: Earlier messages

  private static let earlierStatement = Statement(
    "named-sends-earlier",
    """
    SELECT t.entry, m.seqno, m.request_sha256, m.targeted, m.unknown_entries::text, m.due_at, m.resend_of
    FROM unnest($1) WITH ORDINALITY AS t(seqno, entry) JOIN messages m ON m.seqno = t.seqno
    UNION ALL
    SELECT t.entry, m.seqno, m.request_sha256, m.targeted, m.unknown_entries::text, m.due_at, m.resend_of
    FROM unnest($2, $3) WITH ORDINALITY AS t(app, key, entry)
    JOIN messages m ON m.app = t.app AND m.idempotency_key = t.key
    """)

  /// Returns, by index in `messages`, the stored message that has the same SEQNO, or the same app and idempotency key.
  /// Elements without one are omitted.
  /// - Parameter messages: messages that could not be stored; `key` is nil if the request has no idempotency key.
  package static func earlier(
    _ messages: [(seqno: Seqno, app: App.Number, key: String?)]
  ) -> Query<[Int: Messages.Earlier]> {
    var (seqnos, apps, keys) = (Int64Column(), Int32Column(), TextColumn())
    for message in messages {
      seqnos.append(message.seqno)
      apps.append(message.app)
      keys.append(message.key)
    }
    return Query(earlierStatement, seqnos, apps, keys) {
      $0.dictionary { row in
        (Int(row.int64()) - 1, Messages.earlier(&row))
      }
    }
  }
}

extension PostgresError {
  /// True if a new message got the number of another one, because a crash of the database took the number back before
  /// the other message was committed under it. The next attempt gets another number.
  package var isTakenSeqno: Bool { sqlState == .uniqueViolation && constraint == "messages_pkey" }
}
