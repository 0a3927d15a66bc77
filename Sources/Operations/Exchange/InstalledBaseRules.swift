internal import Domain
internal import Store
internal import Time

/// Decides, line by line, how a file of registrations changes existing rows, and collects the changes for the caller to
/// write. No I/O.
///
/// - A device has acted if it has itself registered, called, or changed its user or consents. It is not changed,
///   because the file is older.
/// - A device from an earlier import that has not acted since is changed according to the file.
/// - A token is taken from another device only if that device has not acted. Where each user may have only one device,
///   the same applies to taking a user from another device.
struct InstalledBaseRules {
  enum Verdict: Equatable, Sendable {
    case new
    case changed
    case unchanged
    /// The row is not changed, because the device or another one of the same DEVICE_ID has acted itself, or the row has
    /// lost the file's token in the meantime.
    case kept
    case refused(column: InstalledColumns.Field, what: String, remedy: String)
  }

  /// Changes by the lines judged so far, to be written to the database. The saved rows are in `records`.
  struct Changes {
    var saved: Set<DeviceID> = []
    var retired: Set<Tokens.Claimed> = []
    var moved: [Tokens.Claimed] = []
    var joined: [Groups.Membership] = []
    var endedGuests: [Users.Key] = []
    /// Names and telephone numbers to store for users, each from the first line that supplies one, apart from the lines
    /// that `lacks` skips. An entry with an empty name and no number only ensures that the user has a row.
    var said: [UserKey: (name: String, phone: String?)] = [:]
  }

  let app: App
  /// Identity level of a binding to a user that the import creates.
  let level: App.Identity
  /// The time of the import.
  let now: Timestamp
  /// Rows of all DEVICE_IDs and token owners that the lines name and, where each user may have only one device, of the
  /// users' devices; with the changes of the lines judged so far.
  private(set) var records: [DeviceID: Devices.Record]
  /// The tokens' owners, with the changes of the lines judged so far; a token without an owner is missing.
  private(set) var owners: [InstalledLine.Token: DeviceID]
  /// Whether each user already has a name and a telephone number; unknown users are missing.
  let known: [UserKey: (name: Bool, phone: Bool)]
  private(set) var changes = Changes()
  /// Devices that belong, or belonged, to each user; used if each user may have only one device.
  private var devices: [UserKey: Set<DeviceID>] = [:]

  init(
    app: App, level: App.Identity, now: Timestamp, records: [DeviceID: Devices.Record],
    owners: [InstalledLine.Token: DeviceID],
    known: [UserKey: (name: Bool, phone: Bool)]
  ) {
    (self.app, self.level, self.now) = (app, level, now)
    (self.records, self.owners, self.known) = (records, owners, known)
    for record in records.values { note(record) }
  }

  /// Returns the row to insert for a device without any existing row and with a token that has no owner. Adds its
  /// user's groups, name and number to `changes`, but not the row itself.
  mutating func admit(_ line: InstalledLine) -> Devices.Record {
    let record = record(line, nil)
    enter(line, as: record.userKey)
    return record
  }

  /// Where a line belongs: `free` is a row to be created and `row` an existing one, both with the device that loses its
  /// token to that row (`taking`; nil if no device does). `none` is for a line that changes nothing, with its verdict.
  private enum Place {
    case free(taking: Devices.Record?)
    case row(Devices.Record, taking: Devices.Record?)
    case none(Verdict)
  }

  mutating func judge(_ line: InstalledLine) -> Verdict {
    let row: Devices.Record?
    let loser: Devices.Record?
    switch place(line) {
    case .none(let verdict): return verdict
    case .free(let taking): (row, loser) = (nil, taking)
    case .row(let known, let taking): (row, loser) = (known, taking)
    }
    let record = record(line, row)
    let isBound = row?.userKey != record.userKey
    if isBound, app.devicePolicy == .single, !record.userKey.isGuest {
      guard release(othersOf: record) else {
        return .refused(
          column: .clientUID, what: "is a user who has another device, and may have one only",
          remedy: "Nothing is to be done: that device has registered here itself.")
      }
    }
    if record == row, loser == nil {
      guard lacks(record.userKey, line) else { return .unchanged }
      say(line, of: record.userKey)
      return .changed
    }
    write(line, record, over: row, takingFrom: loser)
    if isBound { enter(line, as: record.userKey) } else { say(line, of: record.userKey) }
    return row == nil ? .new : .changed
  }

  private mutating func enter(_ line: InstalledLine, as user: UserKey) {
    let key = Users.Key(app: app.number, userKey: user)
    for group in line.groups { changes.joined.append(Groups.Membership(user: key, group: group)) }
    say(line, of: user)
  }

  private func place(_ line: InstalledLine) -> Place {
    let rows = line.device.rows
    let own = rows.compactMap { records[$0] }
    let owner = owners[line.token]
    var loser: Devices.Record?
    if let owner, !rows.contains(owner) {
      guard let record = records[owner], !Self.hasActed(record) else {
        return .none(
          .refused(
            column: .psid, what: "is the token of another device, which has registered here itself",
            remedy: "Nothing is to be done: that registration is younger than the file."))
      }
      // An earlier line may have given the device another token.
      loser = record.psid == line.psid ? record : nil
    } else if let owner, let row = records[owner], row.psid == line.psid {
      // The network has reported the token as invalid, or another row of the DEVICE_ID is the real one.
      return row.state != .active || own.contains(where: Self.hasActed) ? .none(.kept) : .row(row, taking: nil)
    }
    // A row with the file's token that is not active has lost it: to another device, by unregistering, or because its
    // network reported it as dead.
    if own.contains(where: { Self.hasActed($0) || $0.state != .active && $0.psid == line.psid }) {
      return .none(.kept)
    }
    return own.first.map { .row($0, taking: loser) } ?? .free(taking: loser)
  }

  /// Returns whether a device has acted itself: it was not created by an import, or has done something since.
  static func hasActed(_ record: Devices.Record) -> Bool {
    let consents = [record.consents.notification, record.consents.ad, record.consents.nightAd].compactMap { $0?.at }
    let last = consents.reduce(max(record.boundAt, record.seenAt), max)
    return record.registeredAt > .zero || record.authEpoch != 0 || record.pending != nil || last > record.createdAt
  }

  /// Returns the row that results from a line: a new one if `row` is nil, otherwise `row` with the line's values.
  /// Values that the line does not contain are kept.
  private func record(_ line: InstalledLine, _ row: Devices.Record?) -> Devices.Record {
    var record =
      row
      ?? Devices.Record(
        device: line.device, app: app.number, userKey: UserKey(guest: line.device), network: line.network,
        environment: line.environment ?? .production, psid: line.psid, installation: line.installation,
        attributes: line.attributes, now: now)
    if row == nil {
      record.registeredAt = .zero
      // A call within an hour of the last one is not recorded, but the device's first call must be.
      record.seenAt = now - Operations.Limits.seenInterval
    } else if record.psid != line.psid {
      record.psid = line.psid
      record.state = .active
      record.environment = line.environment ?? record.environment
      record.boundAt = now
    }
    if row != nil { record.attributes = Self.merge(line.attributes, record.attributes) }
    record.consents.apply(line.consents, at: now)
    switch line.user {
    case .unsaid: break
    case .nobody where !record.userKey.isGuest: record.release()
    case .nobody: break
    case .named(let clientUID):
      let user = UserKey(clientUID: clientUID)
      let isKept = record.userKey == user
      if !isKept || record.identity < level { record.bind(user, by: isKept ? max(level, record.identity) : level) }
    }
    if let row, row.userKey != record.userKey { record.boundAt = now }
    if record != row { record.createdAt = now }
    return record
  }

  private static func merge(_ said: Devices.Attributes, _ known: Devices.Attributes) -> Devices.Attributes {
    var merged = known
    for path: WritableKeyPath<Devices.Attributes, String> in [
      \.platform, \.model, \.osVersion, \.appVersion, \.locale, \.timeZone,
    ] where !said[keyPath: path].isEmpty { merged[keyPath: path] = said[keyPath: path] }
    return merged
  }

  /// Turns the user's other active devices into guests. Returns false, having changed nothing, if one of them has acted
  /// itself.
  private mutating func release(othersOf record: Devices.Record) -> Bool {
    let others = (devices[record.userKey] ?? []).compactMap { records[$0] }.filter {
      $0.userKey == record.userKey && $0.device != record.device && $0.state == .active
    }
    guard !others.contains(where: Self.hasActed) else { return false }
    for var other in others {
      other.release()
      (other.boundAt, other.createdAt) = (now, now)
      save(other)
    }
    return true
  }

  private mutating func write(
    _ line: InstalledLine, _ record: Devices.Record, over row: Devices.Record?, takingFrom loser: Devices.Record?
  ) {
    func token(_ psid: String, of device: DeviceID) -> Tokens.Claimed {
      Tokens.Claimed(app: app.number, psid: psid, network: line.network, device: device)
    }
    if var loser {
      loser.state = .unregistered
      loser.createdAt = now
      save(loser)
      changes.retired.insert(token(line.psid, of: loser.device))
    }
    if let row, row.psid != record.psid, row.state != .unregistered {
      changes.retired.insert(token(row.psid, of: row.device))
    }
    let key = line.token
    if let owner = owners[key], owner != record.device {
      changes.moved.append(token(line.psid, of: record.device))
    }
    owners[key] = record.device
    if let row, row.userKey.isGuest, !record.userKey.isGuest {
      changes.endedGuests.append(Users.Key(app: app.number, userKey: row.userKey))
    }
    save(record)
  }

  private mutating func save(_ record: Devices.Record) {
    records[record.device] = record
    changes.saved.insert(record.device)
    note(record)
  }

  private mutating func note(_ record: Devices.Record) {
    guard app.devicePolicy == .single, !record.userKey.isGuest else { return }
    devices[record.userKey, default: []].insert(record.device)
  }

  // MARK: Users' names and numbers

  /// Returns whether the line supplies a name or number that the user lacks, and that no earlier line has supplied.
  /// Existing ones are never replaced. False also for a guest, and for a line that names no user.
  private func lacks(_ user: UserKey, _ line: InstalledLine) -> Bool {
    guard line.user != .unsaid, !user.isGuest else { return false }
    let (known, said) = (known[user] ?? (false, false), changes.said[user] ?? ("", nil))
    return !line.name.isEmpty && !known.name && said.name.isEmpty
      || line.phone != nil && !known.phone && said.phone == nil
  }

  private mutating func say(_ line: InstalledLine, of user: UserKey) {
    let before = changes.said[user] ?? ("", nil)
    // A line that names no user says nothing about the device's current user.
    let isAbout = line.user != .unsaid && !user.isGuest
    changes.said[user] =
      isAbout ? (before.name.isEmpty ? line.name : before.name, before.phone ?? line.phone) : before
  }
}
