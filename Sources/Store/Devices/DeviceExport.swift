package import Domain
internal import Postgres

/// The export of an app's active devices, page by page. Omits push tokens, because a token gives access to the device.
package enum DeviceExport {
  /// The last device of a page, after which the next page starts. The first page starts after `start`.
  package struct Place: Sendable {
    let userKey: String
    let device: String

    package static let start = Place(userKey: "", device: "00000000-0000-0000-0000-000000000000")
  }

  /// Names of the columns, in the order in which a page's rows contain them.
  package static let columns = [
    "device", "clientUid", "network", "environment", "deviceId", "platform", "model", "osVersion", "appVersion",
    "locale", "timeZone", "tags", "consentNotification", "consentAd", "consentNightAd", "createdAt", "registeredAt",
    "seenAt", "quarantinedAt",
  ]

  private static let pageStatement = Statement(
    "device-export-page",
    """
    SELECT user_key, device::text, CASE WHEN user_key LIKE 'u%' THEN substr(user_key, 2) ELSE '' END, network::text,
      environment::text, device_id, platform, model, os_version, app_version, locale, time_zone,
      array_to_string(tags, ';'), consent_notification::text, consent_ad::text, consent_night_ad::text,
      to_json(created_at) #>> '{}', to_json(registered_at) #>> '{}', to_json(seen_at) #>> '{}',
      to_json(quarantined_at) #>> '{}'
    FROM devices WHERE app = $1 AND state = \(Devices.State.active.sql) AND (user_key, device) > ($2, $3::uuid)
    ORDER BY user_key, device LIMIT $4
    """)

  /// Returns the next devices in the order of user and device: at most `limit` rows with the values of `columns`. A
  /// consent that was never asked for and a time that was never recorded are nil. Other missing values are empty: the
  /// `clientUid` of a guest, tags, and texts that the device has not reported. Tags are separated by `;`, and times are
  /// in ISO 8601 format with an offset from UTC.
  /// - Returns: the rows, and the place of the last one. At the end there are no rows, and the place is `place`.
  package static func page(
    of app: App.Number, after place: Place, limit: Int
  ) -> Query<(rows: [[String?]], last: Place)> {
    Query(pageStatement, app, place.userKey, place.device, limit) { rows in
      var last = place
      let cells = rows.decode { row -> [String?] in
        let userKey = row.text()
        var cells = columns.map { _ in row.optionalText() }
        last = Place(userKey: userKey, device: cells[0] ?? "")
        cells[2] = cells[2].flatMap(Int16.init).flatMap(PushNetwork.init(rawValue:))?.pnsID
        cells[3] = cells[3].flatMap(Int16.init).flatMap(PushEnvironment.init(rawValue:)).map(\.name)
        return cells
      }
      return (cells, last)
    }
  }
}
