/// A single-threaded event loop: waits for file descriptors, inboxes and timers, and calls their handlers.
///
/// Created and used on one thread. Other threads may use only `stopper` and the attached inboxes.
package final class EventLoop {
  /// Receives readiness events of a descriptor.
  package protocol Handler: AnyObject {
    /// Called on the loop's thread. May register, update and deregister any descriptor, including its own.
    func ready(_ readiness: Readiness)
  }

  /// Identifies a registration. Operations on it after `deregister` are ignored, even if its slot has been reused.
  package struct Registration: Hashable, Sendable {
    fileprivate let slot: UInt32
    fileprivate let generation: UInt32
    fileprivate var token: UInt64 { UInt64(slot) << 32 | UInt64(generation) }
  }

  /// A handle that stops a loop from any thread.
  package struct Stopper: Sendable {
    fileprivate let inbox: Inbox<Void>

    package func stop() {
      inbox.close()
    }
  }

  private struct Slot {
    var generation: UInt32
    var descriptor: Int32
    var interest: Readiness
    var handler: (any Handler)?
  }

  package let clock: any Clock
  package let stopper: Stopper
  /// The time when the loop last began to call handlers, or timers and hooks; cached, to save system calls.
  package private(set) var now: Instant

  private let poller: Poller
  private var slots: [Slot] = []
  private var freeSlots: [UInt32] = []
  private var timers = Timers()
  private var endOfTurn: [() -> Void] = []
  private var veryEndOfTurn: [() -> Void] = []
  private var isStopped = false

  package init(clock: any Clock = SystemClock()) throws(SystemError) {
    self.clock = clock
    now = clock.now
    poller = try Poller()
    stopper = Stopper(inbox: try Inbox(capacity: 1))
    let inbox = stopper.inbox
    try attach(inbox) { [unowned self] _ in if inbox.isClosed { isStopped = true } }
  }

  // MARK: Descriptors

  /// Starts watching a descriptor. The loop retains `handler` until `deregister`. Throws if the kernel refuses, for
  /// example because the descriptor is registered already.
  package func register(
    _ descriptor: Int32, interest: Readiness, handler: any Handler
  ) throws(SystemError) -> Registration {
    let number: UInt32
    if let free = freeSlots.popLast() {
      number = free
      slots[Int(free)].descriptor = descriptor
      slots[Int(free)].interest = interest
      slots[Int(free)].handler = handler
    } else {
      number = UInt32(slots.count)
      slots.append(Slot(generation: 0, descriptor: descriptor, interest: interest, handler: handler))
    }
    let registration = Registration(slot: number, generation: slots[Int(number)].generation)
    do {
      try poller.add(descriptor, interest: interest, token: registration.token)
    } catch {
      free(registration)
      throw error
    }
    return registration
  }

  /// Changes the events watched for. Makes no system call if they stay the same; has no effect after `deregister`.
  package func update(_ registration: Registration, interest: Readiness) {
    let index = Int(registration.slot)
    guard slots[index].generation == registration.generation, slots[index].interest.rawValue != interest.rawValue else {
      return
    }
    slots[index].interest = interest
    poller.modify(slots[index].descriptor, interest: interest, token: registration.token)
  }

  /// Stops watching a descriptor and releases its handler; has no effect if repeated. Call it before closing the
  /// descriptor.
  package func deregister(_ registration: Registration) {
    let index = Int(registration.slot)
    guard slots[index].generation == registration.generation else { return }
    poller.remove(slots[index].descriptor)
    free(registration)
  }

  private func free(_ registration: Registration) {
    let index = Int(registration.slot)
    slots[index].handler = nil
    slots[index].generation &+= 1
    freeSlots.append(registration.slot)
  }

  // MARK: Inboxes, timers, hooks

  /// Passes the items of `inbox` to `receive` in batches, on this loop's thread. When the inbox is closed and empty,
  /// calls `receive` one last time with an empty batch. The loop must be the inbox's only consumer. Throws like
  /// `register`.
  package func attach<Item>(_ inbox: Inbox<Item>, receive: @escaping ([Item]) -> Void) throws(SystemError) {
    let handler = InboxHandler(inbox: inbox, receive: receive)
    handler.registration = try register(inbox.wakeup.descriptor, interest: .readable, handler: handler)
    handler.loop = self
  }

  /// Calls `action` once, after at least `delay`, unless the returned timer is cancelled. Without delay,
  /// `action` runs later in this iteration if a handler of a descriptor or inbox schedules it, otherwise in the next
  /// one.
  @discardableResult
  package func schedule(after delay: Duration, _ action: @escaping () -> Void) -> Timers.ID {
    timers.schedule(at: clock.now + delay, action)
  }

  package func cancel(_ timer: Timers.ID) {
    timers.cancel(timer)
  }

  /// Calls `hook` at the end of every loop iteration, after all handlers: the place to flush batches.
  /// - Parameter last: true to run the hook after the ordinary ones. For hooks that only write out what others have
  ///   produced; they must not call code that could need another flush.
  package func atEndOfTurn(last: Bool = false, _ hook: @escaping () -> Void) {
    if last { veryEndOfTurn.append(hook) } else { endOfTurn.append(hook) }
  }

  // MARK: Running

  /// Runs iterations until `stop` or `stopper.stop` is called. If `stop` was called before, runs none; if
  /// `stopper.stop` was, runs one.
  package func run() {
    while !isStopped { turn(atMost: nil) }
  }

  /// Ends `run` after the current iteration. For the loop's own thread; other threads use `stopper`.
  package func stop() {
    isStopped = true
  }

  /// Runs one iteration, which waits for events at most until the next timer is due, and at most for `timeout`; nil
  /// sets no limit. Tests call it directly.
  package func turn(atMost timeout: Duration?) {
    var timeout = timeout
    if let deadline = timers.next() {
      let untilTimer = max(.zero, deadline - clock.now)
      timeout = timeout.map { min($0, untilTimer) } ?? untilTimer
    }
    var hasLooked = false
    poller.wait(atMost: timeout) { token, ready in
      if !hasLooked { now = clock.now }
      hasLooked = true
      dispatch(token, ready)
    }
    now = clock.now
    // A timer that an action below schedules without delay waits for the next iteration, so that timers cannot starve
    // sockets.
    let newest = timers.newest
    while let action = timers.popDue(at: now, notAfter: newest) { action() }
    for hook in endOfTurn { hook() }
    for hook in veryEndOfTurn { hook() }
  }

  private func dispatch(_ token: UInt64, _ ready: Readiness) {
    let index = Int(token >> 32)
    // A handler called earlier in this iteration may have deregistered this descriptor: then the generation does not
    // match.
    guard slots[index].generation == UInt32(truncatingIfNeeded: token), let handler = slots[index].handler else {
      return
    }
    handler.ready(ready)
  }
}

private final class InboxHandler<Item: Sendable>: EventLoop.Handler {
  let inbox: Inbox<Item>
  let receive: ([Item]) -> Void
  var registration: EventLoop.Registration?
  unowned var loop: EventLoop?

  init(inbox: Inbox<Item>, receive: @escaping ([Item]) -> Void) {
    self.inbox = inbox
    self.receive = receive
  }

  func ready(_ readiness: Readiness) {
    let items = inbox.takeAll()
    // A closed inbox stays readable: report that once, then stop watching it.
    if items.isEmpty, inbox.isClosed, let registration { loop?.deregister(registration) }
    if !items.isEmpty || inbox.isClosed { receive(items) }
  }
}
