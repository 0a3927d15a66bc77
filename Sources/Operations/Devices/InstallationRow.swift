internal import Domain
internal import Store

/// Which of the rows of a DEVICE_ID a registration is about, and what shows that it is that row's device.
///
/// A DEVICE_ID alone shows nothing. Whoever comes with a token that no row has, and without the key of one, gets a row of
/// its own, and those that are there stay as they are. Pure.
struct InstallationRow: Equatable {
  enum Recognition: Equatable {
    /// It has the key that the row's last registration gave out.
    case key
    /// It has the row's token, and nothing more.
    case token
    /// The app takes whoever has the DEVICE_ID for the device (`keepsUserOnRefresh`).
    case word
    /// Nothing: the row is new, or another device's that is gone.
    case none
  }

  let device: DeviceID
  let recognition: Recognition

  init(_ device: DeviceID, _ recognition: Recognition) {
    (self.device, self.recognition) = (device, recognition)
  }

  /// - Parameter records: those of the DEVICE_ID's rows that exist.
  init(_ registration: Operation.Registration, _ records: [Devices.Record]) {
    let rows = registration.device.rows
    let own = records.filter { rows.contains($0.device) }
    if let proof = registration.proof, !proof.isAsked,
      let row = own.first(where: { $0.device == proof.device && $0.authEpoch == proof.epoch })
    {
      (device, recognition) = (row.device, .key)
    } else if let row = own.first(where: { $0.psid == registration.psid && $0.state != .unregistered }) {
      (device, recognition) = (row.device, .token)
    } else if registration.app.identity == .open, registration.app.identityRules.keepsUserOnRefresh,
      let row = own.filter({ $0.state != .unregistered }).max(by: { $0.seenAt < $1.seenAt })
    {
      (device, recognition) = (row.device, .word)
    } else {
      (device, recognition) = (Self.room(registration, rows, own), .none)
    }
  }

  /// A row for another device: one whose device has unregistered, else a free one, as long as there are not too many; else
  /// the one that has the least to lose. Where all belong to users who were vouched for, one more may wait beside them.
  private static func room(
    _ registration: Operation.Registration, _ rows: [DeviceID], _ own: [Devices.Record]
  ) -> DeviceID {
    // One that only lost its token to another device still has its key.
    let given = own.filter { $0.state == .unregistered && $0.userKey.isGuest }
    if let row = given.first(where: { $0.psid == registration.psid }) ?? given.first { return row.device }
    let free = rows.first { row in !own.contains { $0.device == row } }
    let areProved = own.allSatisfy { $0.identity > .open }
    if let free, own.count < Domain.Limits.devicesPerInstallation || areProved { return free }
    let user = registration.user.map { UserKey(clientUID: $0.clientUID) }
    return leaving(own, for: user)?.device ?? registration.device
  }

  /// The row that makes room. Of several that nobody vouched for the latest goes, so that whoever comes again and again with
  /// somebody's DEVICE_ID only pushes out itself; of several that are vouched for one of the same user, then the one that
  /// has been silent longest.
  private static func leaving(_ records: [Devices.Record], for user: UserKey?) -> Devices.Record? {
    records.min { left, right in
      let (one, other) = (worth(left, for: user), worth(right, for: user))
      if one != other { return one < other }
      if left.identity > .open { return left.seenAt < right.seenAt }
      return left.createdAt > right.createdAt
    }
  }

  private static func worth(_ record: Devices.Record, for user: UserKey?) -> Int {
    if record.identity > .open { return record.userKey == user ? 4 : 5 }
    if !record.userKey.isGuest { return record.state == .active ? 3 : 2 }
    return record.state == .active ? 1 : 0
  }
}
