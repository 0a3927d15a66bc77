/// A project's quota: so many messages a minute, in a bucket that is filled again each minute since the first message
/// ("Throttling and quotas": the minutes are not aligned to the clock). Every request counts but those refused by it.
struct FCMQuota {
  private struct Bucket {
    var beganAt: Int64
    var count = 0
  }

  /// Messages a minute; nil for no limit.
  var perMinute: Int?
  private var buckets: [String: Bucket] = [:]
  private var devices: [Int: Bucket] = [:]

  init(perMinute: Int?) {
    self.perMinute = perMinute
  }

  /// Counts a message. Nil when it fits, else the seconds until the bucket is filled again.
  /// - Parameter now: seconds since 1970.
  mutating func take(_ project: String, now: Int64) -> Int? {
    guard let perMinute else { return nil }
    var bucket = buckets[project] ?? Bucket(beganAt: now)
    if now - bucket.beganAt >= 60 { bucket = Bucket(beganAt: now) }
    defer { buckets[project] = bucket }
    guard bucket.count < perMinute else { return Int(max(1, bucket.beganAt + 60 - now)) }
    bucket.count += 1
    return nil
  }

  /// Counts a message to a device. Nil when it fits, else the seconds until the next may come.
  mutating func take(device: Int, now: Int64) -> Int? {
    var bucket = devices[device] ?? Bucket(beganAt: now)
    if now - bucket.beganAt >= 60 { bucket = Bucket(beganAt: now) }
    defer { devices[device] = bucket }
    guard bucket.count < Limits.messagesPerDeviceMinute else { return Int(max(1, bucket.beganAt + 60 - now)) }
    bucket.count += 1
    return nil
  }
}
