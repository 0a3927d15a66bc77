package import Domain
internal import Postgres
package import Time

/// Numbers of messages that devices send per minute, counted in the database, so that the limit applies across all
/// nodes. A device's minute begins with its first send after the previous minute has ended. Decision 023.
package enum DeviceSends {
  /// A device's count in the current minute.
  package struct Meter: Sendable {
    /// Number of sends requested in this minute, including the one just counted.
    package let sent: Int32
    /// End of the minute.
    package let windowEnds: Timestamp
  }

  private static let countStatement = Statement(
    "device-sends-count",
    """
    INSERT INTO device_send_meters AS m (device, window_began, sent)
    SELECT device, $2, 1 FROM unnest($1) AS t(device) ORDER BY device
    ON CONFLICT (device) DO UPDATE SET
      window_began = CASE WHEN m.window_began <= $3 THEN excluded.window_began ELSE m.window_began END,
      sent = CASE WHEN m.window_began <= $3 THEN 1 ELSE least(m.sent, 1000000) + 1 END
    RETURNING device, sent, window_began
    """)

  /// Counts another message of each device, and returns the new counts. `devices` must be distinct. The caller holds
  /// the devices' row locks.
  package static func count(_ devices: [DeviceID], at now: Timestamp) -> Query<[DeviceID: Meter]> {
    var parameters = Devices.ids(devices)
    parameters.append(now)
    parameters.append(now - Store.Limits.deviceSendWindow)
    return Query(countStatement, parameters) {
      $0.dictionary { row in
        (
          row.device(),
          Meter(
            sent: row.int32(), windowEnds: row.timestamp() + Store.Limits.deviceSendWindow)
        )
      }
    }
  }
}

extension Store.Limits {
  /// Length of the period in which a device's sends are counted together: one minute.
  static let deviceSendWindow: Duration = .seconds(60)
}
