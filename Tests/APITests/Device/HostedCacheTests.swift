import Reactor
import TestSupport
import Testing

@testable import API
@testable import Store

@Suite struct HostedCacheTests {
  private static func record(_ name: String) -> HostedFiles.Record {
    HostedFiles.Record(
      name: name, app: 1, suffix: ".jpg", type: "image/jpeg", bytes: 1, partBytes: 1, sha256: [], createdAt: 0,
      expiresAt: 1)
  }

  private static func instant(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

  @Test func `a file is known for a minute, and whether it is there is asked again after that`() {
    var cache = HostedCache()
    cache.keep(HostedCache.Known(record: Self.record("a"), readAt: Self.instant(100)))
    let known = cache.file("a")
    #expect(known?.isFresh(at: Self.instant(159)) == true)
    #expect(known?.isFresh(at: Self.instant(160)) == false)
    // What was read again is fresh again.
    cache.keep(HostedCache.Known(record: Self.record("a"), readAt: Self.instant(160)))
    let again = cache.file("a")
    #expect(again?.isFresh(at: Self.instant(219)) == true)
    cache.forget("a")
    let gone = cache.file("a")
    #expect(gone?.record.name == nil)
  }

  @Test func `a file that is used outlives others, with the time at which it was read`() {
    var cache = HostedCache(capacity: 4 * HostedCache.recordBytes)
    cache.keep(HostedCache.Known(record: Self.record("used"), readAt: Self.instant(5)))
    for number in 0..<10 {
      cache.keep(HostedCache.Known(record: Self.record("\(number)"), readAt: Self.instant(50)))
      let used = cache.file("used")
      #expect(used?.readAt == Self.instant(5))
    }
    let unused = cache.file("0")
    #expect(unused?.record.name == nil)
  }
}
