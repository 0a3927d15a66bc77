internal import Domain
internal import Store

/// Decides which row of a DEVICE_ID a registration refers to, and how the device proved that the row is its own.
///
/// A DEVICE_ID alone proves nothing, unless the app accepts it. A device that has neither the key nor the token of any
/// row gets a row of its own: a free one, or, if the DEVICE_ID has too many, the row that is worth least. The other
/// rows stay as they are. Pure.
struct RecognizedDevice: Equatable {
  enum Recognition: Equatable {
    /// The device has a current key of the row, which was not issued for the token alone.
    case key
    /// The device has only the row's token. In `strict`, if the registration names a user, such a row belongs to a
    /// guest or to that user.
    case token
    /// The app accepts the DEVICE_ID alone as proof (`keepsUserOnRefresh`).
    case deviceIDAlone
    /// No proof: the row does not exist yet, or belonged to another device, which is gone or gives it up.
    case none
  }

  let device: DeviceID
  let recognition: Recognition

  init(_ device: DeviceID, _ recognition: Recognition) {
    (self.device, self.recognition) = (device, recognition)
  }

  /// Chooses the row for a registration.
  /// - Parameter records: the existing rows of the registration's DEVICE_ID.
  init(_ registration: Operation.Registration, _ records: [Devices.Record]) {
    let rows = registration.device.rows
    let own = records.filter { rows.contains($0.device) }
    let holder = own.first { $0.psid == registration.psid && $0.state != .unregistered }
    if let proof = registration.proof, !proof.isTokenOnly,
      let row = own.first(where: { $0.device == proof.device && $0.authEpoch == proof.epoch })
    {
      (device, recognition) = (row.device, .key)
    } else if let holder, Self.isOfAnother(holder, registration) {
      (device, recognition) = (Self.room(registration, rows, own, keeping: holder.device), .none)
    } else if let holder {
      (device, recognition) = (holder.device, .token)
    } else if registration.app.identity == .open, registration.app.identityRules.keepsUserOnRefresh,
      let row = own.filter({ $0.state != .unregistered }).max(by: { $0.seenAt < $1.seenAt })
    {
      (device, recognition) = (row.device, .deviceIDAlone)
    } else {
      (device, recognition) = (Self.room(registration, rows, own), .none)
    }
  }

  /// Returns whether, in a `strict` app, the row with the token belongs to a user other than the one that the
  /// registration names. The registration then gets a row of its own, as with another DEVICE_ID, and takes the token if
  /// its user is vouched for. In the same row, that user would wait for a push that the device of the row's user could
  /// return.
  private static func isOfAnother(_ row: Devices.Record, _ registration: Operation.Registration) -> Bool {
    guard registration.app.identity == .strict, !row.userKey.isGuest, let user = registration.user,
      user.clientUID != UserKey.guestUID
    else { return false }
    return row.userKey != UserKey(clientUID: user.clientUID)
  }

  /// Returns a row for a device that has proved none of the existing rows to be its own: the row of an unregistered
  /// guest, preferably one with the same token; otherwise a row that does not exist yet, if fewer than
  /// `devicesPerInstallation` exist or all that exist belong to vouched users; otherwise the row that `leaving` gives
  /// up.
  /// - Parameter kept: a row that must not be given up; nil if there is none.
  private static func room(
    _ registration: Operation.Registration, _ rows: [DeviceID], _ own: [Devices.Record], keeping kept: DeviceID? = nil
  ) -> DeviceID {
    // A row that only lost its token to another device still has valid keys.
    let given = own.filter { $0.state == .unregistered && $0.userKey.isGuest }
    if let row = given.first(where: { $0.psid == registration.psid }) ?? given.first { return row.device }
    let free = rows.first { row in !own.contains { $0.device == row } }
    let areProved = own.allSatisfy { $0.identity > .open }
    if let free, own.count < Domain.Limits.devicesPerInstallation || areProved { return free }
    let user = registration.user.map { UserKey(clientUID: $0.clientUID) }
    return leaving(own.filter { $0.device != kept }, for: user)?.device ?? registration.device
  }

  /// Returns the row to give up; nil if there are no rows. Rows of guests go first, then rows of unvouched users; of
  /// either kind, inactive rows before active ones, then the newest, so that repeated registrations with a stolen
  /// DEVICE_ID only displace each other. Rows of vouched users go last: first a row of `user`, then the one that has
  /// been silent for longest.
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
    // The user of a guest that awaits its push is vouched for: a row that anybody can get must not take its place.
    if !record.userKey.isGuest || record.pending != nil { return record.state == .active ? 3 : 2 }
    return record.state == .active ? 1 : 0
  }
}
