import Domain
import Reactor
import Simulator

/// Registers devices: all of them at first, then some repeatedly, some with a new token or another user.
final class Registrar {
  private unowned let driver: Driver
  private var waiting: [Int] = []
  private var underWay = 0
  private(set) var registrations = 0
  private let plain: [Int]
  private let returning: [Int]

  init(_ driver: Driver) {
    self.driver = driver
    plain = driver.cast.numbers(.plain)
    returning = driver.cast.numbers(.goneNow) + driver.cast.numbers(.refused)
  }

  /// True once every device has been registered.
  var isComplete: Bool { waiting.isEmpty && underWay == 0 && registrations > 0 }

  func registerAll() {
    waiting = driver.cast.devices.indices.reversed().filter { driver.cast.devices[$0].role != .sharedToken }
    underWay += 1
    driver.sharedTokens.registerAll { [self] in underWay -= 1 }
    for _ in 0..<16 { next() }
  }

  private func next() {
    guard let number = waiting.popLast() else { return }
    underWay += 1
    register(number) { [self] in
      guard driver.cast.devices[number].role == .ledger, let group = driver.group else {
        underWay -= 1
        return next()
      }
      join(number, group) { [self] in
        underWay -= 1
        next()
      }
    }
  }

  /// Registers a device, with its own token unless another device's is given.
  func register(_ number: Int, generation: Int? = nil, tokenOf owner: Int? = nil, completion: @escaping () -> Void) {
    let device = driver.cast.devices[number]
    let generation = generation ?? device.generation
    let token = driver.cast.token(owner ?? number, generation: generation)
    let user = device.user.map { #","clientUid":"\#($0)","clientName":"Name of \#($0)""# } ?? ""
    let body = """
      {"appId":"\(Stage.appID)","pnsId":"APNS","environment":"production","psid":"\(token)",\
      "deviceId":"\(device.installation)"\(user)}
      """
    let credential = device.authKey.isEmpty ? driver.clientKey : device.authKey
    driver.calls.send("POST", "/v1/devices", bearer: credential, isOrdered: true, body) { [self] reply in
      registrations += 1
      guard reply.status == 200 || reply.status == 201, let authKey = reply.string("authKey") else {
        driver.verdict.violate("I4", "a registration was refused: \(reply.status) \(reply.text) for \(body)")
        return completion()
      }
      if reply.string("device") != device.id.description {
        driver.verdict.violate("I4", "a device was given another id: \(reply.text) for \(body)")
      }
      driver.cast.devices[number].authKey = authKey
      driver.cast.devices[number].isRegistered = true
      if generation != device.generation {
        driver.cast.devices[number].generation = generation
        driver.cast.devices[number].generationSince = driver.now
      }
      completion()
    }
  }

  private func join(_ number: Int, _ group: String, completion: @escaping () -> Void) {
    let device = driver.cast.devices[number]
    driver.calls.send("PUT", "/v1/devices/\(device.id)/groups/\(group)", bearer: device.authKey) { [self] reply in
      if reply.status != 204 {
        driver.verdict.violate("I4", "a device could not join its group: \(reply.status) \(reply.text)")
      }
      completion()
    }
  }

  // MARK: Coming and going

  func begin() {
    churn()
  }

  /// A user opens the app, every 100 ms.
  private func churn() {
    guard !driver.isResting else { return }
    let number = plain[Int(driver.dice.next() % UInt64(plain.count))]
    if !busy.contains(number) {
      busy.insert(number)
      let isNewToken = driver.dice.roll(0.2)
      register(number, generation: driver.cast.devices[number].generation + (isNewToken ? 1 : 0)) { [self] in
        busy.remove(number)
      }
    }
    if driver.dice.roll(0.1), let number = returning.randomElement(using: &driver.dice) { register(number) {} }
    driver.loop.schedule(after: .milliseconds(100)) { [self] in churn() }
  }

  private var busy: Set<Int> = []

  /// Before the roll call, registers again the devices whose tokens the network refused.
  func registerReturning(completion: @escaping () -> Void) {
    var left = returning.count
    for number in returning {
      register(number) {
        left -= 1
        if left == 0 { completion() }
      }
    }
  }
}
