internal import Domain
package import Postgres
package import Time

/// Inserts devices that are new to this server by COPY, which costs the database half as much as upserts.
extension InstalledDevices {
  /// Inserts devices, marked as imported, and their alert tokens, within the caller's transaction. Writes the rows of
  /// each table in key order, like all writers. Blocks until the database has answered.
  /// - Parameter boundAt: the time from which the tokens belong to the devices.
  /// - Throws: `.uniqueViolation` if a device or token exists already.
  package static func add(
    _ devices: [Devices.Record], boundAt: Timestamp, on connection: Connection
  ) throws(PostgresError) {
    try addTokens(of: devices, boundAt, on: connection)
    try connection.copyIn("COPY devices (\(Devices.columnList), is_imported) FROM STDIN (FORMAT binary)") {
      (writer) throws(PostgresError) in
      for record in devices.sorted(by: { $0.device < $1.device }) {
        try writer.beginRow(columns: Devices.columnCount + 1)
        record.write(to: &writer)
        writer.append(true)
      }
    }
  }

  /// Inserts users with their names and phone numbers, within the caller's transaction, in key order. Blocks until the
  /// database has answered.
  /// - Throws: `.uniqueViolation` if a user exists already.
  package static func add(
    _ users: [(key: Users.Key, said: Users.Said)], on connection: Connection
  ) throws(PostgresError) {
    try connection.copyIn("COPY users (app, user_key, name, phone) FROM STDIN (FORMAT binary)") {
      (writer) throws(PostgresError) in
      for (key, said) in users.sorted(by: { $0.key.userKey < $1.key.userKey }) {
        try writer.beginRow(columns: 4)
        writer.append(key.app)
        writer.append(text: key.userKey.text)
        writer.append(text: said.name)
        writer.append(bytes: said.phone)
      }
    }
  }

  private static func addTokens(
    of devices: [Devices.Record], _ boundAt: Timestamp, on connection: Connection
  ) throws(PostgresError) {
    // Tokens are ASCII, so this is the byte order of the index.
    let sorted = devices.sorted { ($0.psid, $0.network.rawValue) < ($1.psid, $1.network.rawValue) }
    try connection.copyIn("COPY psids (app, psid, network, kind, device, bound_at) FROM STDIN (FORMAT binary)") {
      (writer) throws(PostgresError) in
      for record in sorted {
        try writer.beginRow(columns: 6)
        writer.append(record.app)
        writer.append(text: record.psid)
        writer.append(record.network.rawValue)
        writer.append(TokenKind.alert.rawValue)
        writer.append(device: record.device)
        writer.append(boundAt)
      }
    }
  }
}

extension Devices.Record {
  /// Writes the values in the order of `Devices.columnList`.
  fileprivate func write(to writer: inout CopyWriter) {
    writer.append(device: device)
    writer.append(app)
    writer.append(text: userKey.text)
    for number in [network.rawValue, environment.rawValue, state.rawValue, authEpoch] { writer.append(number) }
    for text in [
      psid, installation, attributes.platform, attributes.model, attributes.osVersion, attributes.appVersion,
      attributes.locale, attributes.timeZone,
    ] { writer.append(text: text) }
    let answers = [consents.notification, consents.ad, consents.nightAd]
    for answer in answers { writer.append(answer?.isGiven) }
    for time in [boundAt, registeredAt, createdAt] { writer.append(time) }
    for answer in answers { writer.append(answer?.at) }
    writer.append(seenAt)
    writer.append(identity.rawValue)
    writer.append(text: pending?.userKey.text)
    writer.append(pending?.at)
  }
}
