/// Quota of messages per minute, for projects and for devices: a bucket that is refilled a minute after its first
/// message ("Throttling and quotas": the minutes are not aligned to the clock). Every authenticated request counts
/// against the project's, except those refused because of the quota.
struct FCMQuota {
  private struct Bucket {
    var beganAt: Int64
    var count = 0
  }

  /// Messages per minute; nil for no limit.
  var perMinute: Int?
  private var buckets: [String: Bucket] = [:]
  private var devices: [Int: Bucket] = [:]

  init(perMinute: Int?) {
    self.perMinute = perMinute
  }

  /// Counts a message of a project. Returns nil if it is within the quota, otherwise the seconds until the bucket is
  /// refilled.
  /// - Parameter now: in seconds since 1970.
  mutating func take(_ project: String, now: Int64) -> Int? {
    guard let perMinute else { return nil }
    var bucket = buckets[project] ?? Bucket(beganAt: now)
    if now - bucket.beganAt >= 60 { bucket = Bucket(beganAt: now) }
    defer { buckets[project] = bucket }
    guard bucket.count < perMinute else { return Int(max(1, bucket.beganAt + 60 - now)) }
    bucket.count += 1
    return nil
  }

  /// Counts a message to a device. Returns nil if it is within the limit, otherwise the seconds until the next one is
  /// allowed.
  /// - Parameter now: in seconds since 1970.
  mutating func take(device: Int, now: Int64) -> Int? {
    var bucket = devices[device] ?? Bucket(beganAt: now)
    if now - bucket.beganAt >= 60 { bucket = Bucket(beganAt: now) }
    defer { devices[device] = bucket }
    guard bucket.count < Limits.messagesPerDeviceMinute else { return Int(max(1, bucket.beganAt + 60 - now)) }
    bucket.count += 1
    return nil
  }
}
