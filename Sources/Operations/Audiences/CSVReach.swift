internal import Domain
internal import Postgres
internal import Store
internal import Time

/// The reach of an uploaded file: the devices of its users, and the users without a device. Determined in parts, in the
/// order of the users' keys.
struct CSVReach {
  private(set) var devices: Int64 = 0
  /// Number of users without a device.
  private(set) var unknownCount = 0
  /// The CUIDs of the first users without a device, in byte order; at most as many as requested.
  private(set) var unknown: [String] = []

  /// Counts the devices of a file's users, and the users without a device.
  /// - Parameters:
  ///   - now: time at which the devices must be bound to their users.
  ///   - limit: maximum number of users without a device to name.
  /// - Throws: `.unknownUpload` if the file no longer exists, has expired, or belongs to another app.
  init(
    _ csv: Int64, _ app: App.Number, _ connection: Connection, now: Timestamp, unknownAtMost limit: Int
  ) throws(Problem) {
    guard let record = try connection.answer(CSVAudiences.find(csv, at: now)), record.app == app else {
      throw CSVUploads.gone(csv)
    }
    var after = ""
    while true {
      let users = try connection.answer(
        CSVAudiences.keys(csv, after: after, upto: "v", limit: Operations.Limits.countedUsers))
      guard let last = users.last else { return }
      let counts = try connection.answer(Audiences.countOfUsers(app: app, users, frozenAt: now))
      for user in users {
        if let count = counts[user] {
          devices += count
        } else {
          unknownCount += 1
          if unknown.count < limit { unknown.append(user.description) }
        }
      }
      after = last.text
    }
  }
}

extension Operations.Limits {
  /// Maximum number of users counted in one statement.
  static let countedUsers = 10_000
}
