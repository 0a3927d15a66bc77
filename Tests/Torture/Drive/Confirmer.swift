import Domain
import Reactor
import Simulator

/// The devices' receipts and reads: queued, sent in batches as the real SDK does, repeated until answered, and
/// occasionally once more.
final class Confirmer {
  private struct Item {
    let message: Message
    let seqno: Seqno
    let device: Int
    let token: String
    let pushkey: String
    /// For reads: JSON members, each with a leading comma.
    var option = ""
  }

  /// Maximum confirmations per call: the server's limit.
  private static let perCall = 100
  private unowned let driver: Driver
  private var receipts: [Item] = []
  private var reads: [Item] = []
  private var isScheduled = false
  private var underWay = 0
  private(set) var receiptsAnswered = 0
  private(set) var readsAnswered = 0

  init(_ driver: Driver) {
    self.driver = driver
  }

  var isIdle: Bool { receipts.isEmpty && reads.isEmpty && underWay == 0 }

  /// Handles a push to a device: the device confirms it at once and may read it.
  func offer(_ message: Message, _ payload: Payload, _ device: Int, _ token: DeviceToken) {
    let role = driver.cast.devices[device].role
    // Confirmations of a device that shares its token change owner with it; solos read in their own order.
    guard role != .sharedToken, driver.dice.roll(driver.plan.confirmedShare) else { return }
    let item = Item(
      message: message, seqno: payload.seqno, device: device, token: token.description, pushkey: payload.pushkey)
    receipts.append(item)
    switch role {
    case .solo: driver.solos.arrived(message, device, token.description, payload.pushkey)
    // Only a message that raised the count may lower it again.
    case .ledger where message.kind == .badges && driver.dice.roll(0.7): reads.append(item)
    case .plain where driver.dice.roll(0.3):
      var item = item
      item.option = anyOption()
      reads.append(item)
    default: break
    }
    schedule()
  }

  private func anyOption() -> String {
    switch driver.dice.next() % 5 {
    case 0: #","badgeOption":"reset""#
    case 1: #","badgeOption":"update","badge":\#(1 + driver.dice.next() % 1000)"#
    case 2: #","badgeOption":"force","badge":\#(1 + driver.dice.next() % 1000)"#
    case 3: #","badgeOption":"keep""#
    default: ""
    }
  }

  private func schedule() {
    guard !isScheduled else { return }
    isScheduled = true
    driver.loop.schedule(after: .milliseconds(20)) { [self] in
      isScheduled = false
      flush()
    }
  }

  private func flush() {
    while !receipts.isEmpty { send("receipts", take(&receipts)) }
    while !reads.isEmpty { send("reads", take(&reads)) }
  }

  private func take(_ queue: inout [Item]) -> [Item] {
    let batch = Array(queue.prefix(Self.perCall))
    queue.removeFirst(batch.count)
    return batch
  }

  private func send(_ name: String, _ batch: [Item]) {
    let entries = batch.map {
      #"{"seqno":"\#($0.seqno)","psid":"\#($0.token)","pushkey":"\#($0.pushkey)"\#($0.option)}"#
    }
    let body = #"{"\#(name)":[\#(entries.joined(separator: ","))]}"#
    underWay += 1
    driver.calls.send("POST", "/v1/\(name)", body) { [self] reply in
      underWay -= 1
      settle(name, batch, reply)
      if driver.dice.roll(0.02) {
        underWay += 1
        driver.calls.send("POST", "/v1/\(name)", body) { [self] reply in
          underWay -= 1
          settle(name, batch, reply)
        }
      }
    }
  }

  private func settle(_ name: String, _ batch: [Item], _ reply: Reply) {
    guard reply.status == 200, let results = reply.object["results"] as? [[String: Any]],
      results.count == batch.count
    else {
      return driver.verdict.violate("I4", "\(name) were refused: \(reply.status) \(reply.text.prefix(300))")
    }
    for (item, result) in zip(batch, results) {
      let status = result["status"] as? String
      guard status == "recorded" else {
        driver.verdict.violate(
          "I4", "one of the \(name) was answered \(status ?? "nothing"): message \(item.seqno), device \(item.device)")
        continue
      }
      if name == "reads" {
        item.message.noteRead(item.device)
        readsAnswered += 1
        if let badge = result["badge"] as? Int, !(0...1000).contains(badge) {
          driver.verdict.violate("I5", "a read was answered with badge \(badge)")
        }
      } else {
        item.message.noteReceipt(item.device)
        receiptsAnswered += 1
      }
    }
  }
}
