package import Domain
internal import Postgres
package import Time

/// Statements that record when devices were last in use, and that find the owners of tokens. Registrations use neither.
extension Devices {
  private static let seenStatement = Statement(
    "devices-seen",
    """
    UPDATE devices SET seen_at = $2 WHERE device = ANY($1)
    -- Apps tell it each time they come to the front; a row a quarter of an hour is exact enough.
    AND (seen_at IS NULL OR seen_at < $2::timestamptz - interval '15 minutes')
    """)

  /// Sets the time of the devices' last use to `now`, unless the recorded time is less than 15 minutes earlier. The
  /// caller holds the devices' row locks.
  package static func seen(_ devices: [DeviceID], at now: Timestamp) -> Query<Void> {
    var parameters = ids(devices)
    parameters.append(now)
    return Query(seenStatement, parameters) { _ in }
  }

  private static let ownersStatement = Statement(
    "devices-owners",
    """
    SELECT p.app, p.psid, p.device, p.network FROM unnest($1, $2, $3) AS t(app, psid, network)
    JOIN psids p ON p.app = t.app AND p.psid = t.psid AND p.network = t.network AND p.kind = \(TokenKind.alert.sql)
    """)

  /// Returns the devices that own these alert tokens, in no particular order. Tokens without an owner are omitted.
  package static func owners(
    of tokens: [(app: App.Number, network: PushNetwork, psid: String)]
  ) -> Query<[(app: App.Number, network: PushNetwork, psid: String, owner: DeviceID)]> {
    var (apps, psids, networks) = (Int32Column(), TextColumn(), Int16Column())
    for token in tokens {
      apps.append(token.app)
      psids.append(token.psid)
      networks.append(token.network.rawValue)
    }
    return Query(each: ownersStatement, apps, psids, networks) { row in
      let (app, psid, device) = (row.int32(), row.text(), row.device())
      return (app, PushNetwork(rawValue: row.int16()) ?? .apns, psid, device)
    }
  }
}
