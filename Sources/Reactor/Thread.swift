internal import CLinux
internal import Glibc
package import Synchronization

/// A named POSIX thread. Its body creates the objects that the thread owns, so that the compiler can prove that none is
/// shared.
///
/// Call `join` to wait for its end. A thread whose value is dropped without `join` continues detached.
package struct Thread: ~Copyable {
  private let handle: pthread_t

  /// Starts a thread that runs `body`. Traps if `name`, which `top -H` shows, exceeds 15 bytes. Throws if the system
  /// cannot create a thread.
  package init(name: String, body: @escaping @Sendable () -> Void) throws(SystemError) {
    precondition(name.utf8.count <= Reactor.Limits.threadNameBytes, "thread name longer than 15 bytes: \(name)")
    let start = ThreadStart(name: name, body: body)
    var handle = pthread_t()
    let code = unsafe pthread_create(
      &handle, nil,
      { raw in
        // Balances the passRetained below; pthread_create calls this exactly once.
        let start = unsafe Unmanaged<ThreadStart>.fromOpaque(raw!).takeRetainedValue()
        unsafe _ = upmc_name_this_thread(start.name)
        start.body()
        return nil
      },
      Unmanaged.passRetained(start).toOpaque())
    guard code == 0 else { throw SystemError(code: code, operation: "pthread_create", subject: name) }
    self.handle = handle
  }

  deinit {
    // If the thread was not joined, detach it, so that the system frees its stack when the body returns.
    pthread_detach(handle)
  }

  /// Waits until the body has returned.
  package consuming func join() {
    let handle = handle
    discard self
    pthread_join(handle, nil)
  }

  /// Takes the thread out of `place`, and waits until its body has returned. If it is called several times, only the
  /// first call waits; the others return at once.
  package static func joinOnce(_ place: borrowing Mutex<Thread?>) {
    let ended: Thread? = place.withLock { thread in
      var taken: Thread?
      swap(&taken, &thread)
      return taken
    }
    ended?.join()
  }
}

private final class ThreadStart: Sendable {
  let name: String
  let body: @Sendable () -> Void

  init(name: String, body: @escaping @Sendable () -> Void) {
    self.name = name
    self.body = body
  }
}
