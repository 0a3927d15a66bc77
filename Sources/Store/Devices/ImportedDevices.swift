package import Domain
internal import Postgres

/// The import of devices' tags from files.
package enum ImportedDevices {
  package struct Tagged: Sendable {
    package let device: DeviceID
    /// Tags to add to those that the device has; sorted, without duplicates.
    package let tags: [String]

    package init(device: DeviceID, tags: [String]) {
      self.device = device
      self.tags = tags
    }
  }

  /// Separator of tags, which contain no control characters.
  private static let separator = "\u{1F}"

  private static let knownStatement = Statement(
    "imported-devices-known",
    """
    SELECT d.device, (
      SELECT count(DISTINCT tag) FROM unnest(d.tags || string_to_array(t.tags, chr(31))) AS kept(tag))
    FROM unnest($2::uuid[], $3) AS t(device, tags) JOIN devices d ON d.device = t.device
    WHERE d.app = $1 AND d.state <> \(Devices.State.unregistered.sql)
    """)

  /// Returns the number of tags that each device would have after `save`. Devices that are unknown in the app or
  /// unregistered are omitted.
  package static func known(_ tagged: [Tagged], of app: App.Number) -> Query<[DeviceID: Int64]> {
    Query(knownStatement, columns(tagged, app)) { rows in
      Dictionary(rows.decode { ($0.device(), $0.int64()) }) { one, _ in one }
    }
  }

  private static let saveStatement = Statement(
    "imported-devices-save",
    """
    UPDATE devices d SET tags = ARRAY(
      SELECT tag FROM unnest(d.tags || string_to_array(t.tags, chr(31))) AS kept(tag) GROUP BY tag ORDER BY tag COLLATE "C")
    FROM unnest($2::uuid[], $3) AS t(device, tags)
    WHERE d.device = t.device AND d.app = $1 AND d.state <> \(Devices.State.unregistered.sql)
      AND NOT d.tags @> string_to_array(t.tags, chr(31))
    """)

  /// Adds tags to devices, ignoring devices that are unknown in the app or unregistered. No device may occur twice, and
  /// the caller holds the row locks (`Devices.lock`). Fails with a violation of `devices_tags_are_few` if a device
  /// would have more than 100 tags.
  package static func save(_ tagged: [Tagged], of app: App.Number) -> Query<Void> {
    Query(saveStatement, columns(tagged, app)) { _ in }
  }

  private static func columns(_ tagged: [Tagged], _ app: App.Number) -> Parameters {
    var devices = UUIDColumn()
    var tags = TextColumn()
    for one in tagged {
      devices.append(one.device)
      tags.append(one.tags.joined(separator: separator))
    }
    return Parameters(app, devices, tags)
  }
}
