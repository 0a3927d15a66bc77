import Synchronization
import UPMCClient

/// The real way, on which requests and answers are lost by a seed.
final class LossyTransport: Transport, Sendable {
  private let inner: any Transport & Sendable
  private let state: Mutex<UInt64>
  private let lossPercent: UInt64

  init(_ inner: any Transport & Sendable, seed: UInt64, lossPercent: UInt64) {
    self.inner = inner
    self.lossPercent = lossPercent
    state = Mutex(seed)
  }

  private func roll() -> UInt64 {
    state.withLock { state in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 33) % 100
    }
  }

  func send(_ request: WireRequest, _ completion: @escaping @Sendable (Result<WireAnswer, NoAnswer>) -> Void) {
    let dice = roll()
    if dice < lossPercent { return completion(.failure(NoAnswer("the request was lost"))) }
    inner.send(request) { result in
      completion(dice < 2 * self.lossPercent ? .failure(NoAnswer("the answer was lost")) : result)
    }
  }
}

/// The real way, counted.
final class CountingTransport: Transport, Sendable {
  private let inner: any Transport & Sendable
  private let counter = Mutex(0)

  init(_ inner: any Transport & Sendable) {
    self.inner = inner
  }

  var count: Int { counter.withLock { $0 } }

  func send(_ request: WireRequest, _ completion: @escaping @Sendable (Result<WireAnswer, NoAnswer>) -> Void) {
    counter.withLock { $0 += 1 }
    inner.send(request, completion)
  }
}
