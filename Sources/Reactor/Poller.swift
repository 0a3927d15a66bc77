internal import CLinux
internal import Glibc

/// A set of I/O events that a descriptor is ready for or watched for.
public struct Readiness: OptionSet, Sendable {
  /// The kernel's bits.
  public let rawValue: UInt32

  /// Creates a set from the kernel's bits.
  @inlinable public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  // The kernel's values (`epoll_ctl(2)`), written out so that other modules can constant-fold them.

  /// The empty set; errors are reported nevertheless.
  @inlinable package static var nothing: Readiness { Readiness(rawValue: 0) }
  /// Data, a new connection or the end of the stream can be read without blocking (EPOLLIN).
  @inlinable package static var readable: Readiness { Readiness(rawValue: 0x001) }
  /// The kernel accepts data for sending (EPOLLOUT).
  @inlinable package static var writable: Readiness { Readiness(rawValue: 0x004) }
  /// An error or a complete hang-up (EPOLLERR or EPOLLHUP). The kernel always reports it.
  @inlinable package static var failed: Readiness { Readiness(rawValue: 0x008 | 0x010) }

  /// Returns whether the two sets share an element.
  @inlinable package func overlaps(_ other: Readiness) -> Bool { rawValue & other.rawValue != 0 }
}

/// An epoll set, level-triggered (`epoll(7)`). One owner, one thread.
@safe
package struct Poller: ~Copyable {
  private let epoll: FileDescriptor
  /// The buffer that the kernel fills in `wait`. Owned by this value.
  private let events: UnsafeMutablePointer<epoll_event>

  package init() throws(SystemError) {
    let number = epoll_create1(Int32(O_CLOEXEC))
    guard number >= 0 else { throw .last("epoll_create1") }
    epoll = FileDescriptor(owning: number)
    unsafe events = .allocate(capacity: Reactor.Limits.eventsPerTurn)
  }

  deinit {
    unsafe events.deallocate()
  }

  package func add(_ descriptor: Int32, interest: Readiness, token: UInt64) throws(SystemError) {
    guard upmc_epoll_ctl(epoll.number, EPOLL_CTL_ADD, descriptor, interest.rawValue, token) == 0 else {
      throw .last("epoll_ctl add", "fd \(descriptor)")
    }
  }

  package func modify(_ descriptor: Int32, interest: Readiness, token: UInt64) {
    let code = upmc_epoll_ctl(epoll.number, EPOLL_CTL_MOD, descriptor, interest.rawValue, token)
    precondition(code == 0, "epoll_ctl modify of a descriptor that is not registered: \(descriptor)")
  }

  package func remove(_ descriptor: Int32) {
    _ = upmc_epoll_ctl(epoll.number, EPOLL_CTL_DEL, descriptor, 0, 0)
  }

  /// Waits until a descriptor is ready or `timeout` has passed, then calls `body` for each ready one, at most
  /// `Reactor.Limits.eventsPerTurn` times. With a nil timeout, waits indefinitely. A signal can end the wait early;
  /// then `body` is not called.
  package func wait(atMost timeout: Duration?, _ body: (_ token: UInt64, _ ready: Readiness) -> Void) {
    // Rounded up: waking a millisecond early would only cause another iteration.
    let milliseconds = timeout.map { Int32(clamping: max(0, ($0.nanoseconds + 999_999) / 1_000_000)) } ?? -1
    let count = unsafe epoll_wait(epoll.number, events, Int32(Reactor.Limits.eventsPerTurn), milliseconds)
    // EINTR is the only possible failure with a valid set; the caller simply runs another iteration.
    guard count > 0 else { return }
    for index in 0..<count {
      // Safe: the kernel has filled `count` entries of the array we own.
      unsafe body(upmc_epoll_data(events, index), Readiness(rawValue: upmc_epoll_events(events, index)))
    }
  }
}
