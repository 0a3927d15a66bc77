import Reactor
import Simulator

/// Two installations, each with its own user, pass one token back and forth: the last to register owns it, and the
/// other's messages must not reach it.
final class SharedTokens {
  private struct Pair {
    let devices: [Int]
    /// Which of the two registered last.
    var owner = 1
  }

  private unowned let driver: Driver
  private var pairs: [Pair] = []
  private(set) var moves = 0

  init(_ driver: Driver) {
    self.driver = driver
    let numbers = driver.cast.numbers(.sharedToken)
    for first in stride(from: 0, to: numbers.count - 1, by: 2) {
      pairs.append(Pair(devices: [numbers[first], numbers[first + 1]]))
    }
  }

  /// The devices that share this one's token; nil if it shares none.
  func owners(of number: Int) -> [Int]? { pairs.first { $0.devices.contains(number) }?.devices }

  /// Devices that currently own a token.
  var present: [Int] { pairs.map { $0.devices[$0.owner] } }
  /// A pair's token carries the number of its first device.
  var tokenNumbers: [Int] { pairs.map { $0.devices[0] } }

  /// Registers them one at a time, before any act on the center: a device that had to repeat its first registration
  /// could by then present only the token, and its key would end with that.
  func registerAll(completion: @escaping () -> Void) {
    register(pairs.flatMap { pair in pair.devices.map { ($0, pair.devices[0]) } }[...], completion)
  }

  private func register(_ waiting: ArraySlice<(device: Int, token: Int)>, _ completion: @escaping () -> Void) {
    guard let next = waiting.first else { return completion() }
    driver.registrar.register(next.device, generation: 0, tokenOf: next.token) { [self] in
      register(waiting.dropFirst(), completion)
    }
  }

  func begin() {
    for index in pairs.indices { move(index) }
  }

  private func move(_ index: Int) {
    let next = 1 - pairs[index].owner
    let device = pairs[index].devices[next]
    driver.registrar.register(device, generation: 0, tokenOf: pairs[index].devices[0]) { [self] in
      pairs[index].owner = next
      moves += 1
      guard !driver.isResting else { return }
      sendToBoth(index)
    }
  }

  private func sendToBoth(_ index: Int) {
    let pair = pairs[index]
    var left = 2
    for side in 0...1 {
      let user = driver.cast.devices[pair.devices[side]].user ?? ""
      // The token is the first device's; only the owner's user may reach it.
      let recipients: Set<Int> = side == pair.owner ? [pair.devices[0]] : []
      driver.send(
        .urgent, #"{"clientUids":["\#(user)"]}"#, #","lane":"urgent""#, recipients: recipients
      ) { [self] _ in
        left -= 1
        guard left == 0, !driver.isResting else { return }
        driver.loop.schedule(after: .milliseconds(Int64(driver.dice.next() % 3000))) { [self] in
          if !driver.isResting { move(index) }
        }
      }
    }
  }
}
