import Domain
import Reactor
import Simulator

/// Users whose every count is known: sends, reads and sets follow one strict order per user, so payload, response and
/// database must agree exactly. They also provide the urgent sends, one a second.
final class Solos {
  private struct Unread {
    let message: Message
    let device: Int
    let token: String
    let pushkey: String
  }

  private struct Solo {
    let user: String
    let devices: Set<Int>
    var count = 0
    var isBusy = false
    var unread: [Unread] = []
    /// Messages whose read has already changed the count: only `force` changes it again.
    var read: Set<Int> = []
  }

  private unowned let driver: Driver
  private var solos: [Solo] = []
  private var soloOf: [Int: Int] = [:]
  private(set) var sent = 0
  /// Seconds in which no solo was free, because messages took too long.
  private(set) var missed = 0

  init(_ driver: Driver) {
    self.driver = driver
    let numbers = driver.cast.numbers(.solo)
    for pair in stride(from: 0, to: numbers.count - 1, by: 2) {
      let devices = [numbers[pair], numbers[pair + 1]]
      for device in devices { soloOf[device] = solos.count }
      solos.append(Solo(user: driver.cast.devices[devices[0]].user ?? "", devices: Set(devices)))
    }
  }

  func begin() {
    tick()
  }

  /// Each user's expected count; query it when nothing is in flight.
  var counts: [(user: String, count: Int)] { solos.map { ($0.user, $0.count) } }

  /// A solo's device received a push.
  func arrived(_ message: Message, _ device: Int, _ token: String, _ pushkey: String) {
    guard let index = soloOf[device], message.kind != .rollCall else { return }
    solos[index].unread.append(Unread(message: message, device: device, token: token, pushkey: pushkey))
    if solos[index].unread.count > 20 { solos[index].unread.removeFirst() }
  }

  private func tick() {
    guard !driver.isResting else { return }
    if let index = solos.indices.filter({ !solos[$0].isBusy }).randomElement(using: &driver.dice) {
      send(index)
    } else {
      missed += 1
    }
    driver.loop.schedule(after: .seconds(1)) { [self] in tick() }
  }

  // MARK: Sending

  private func send(_ index: Int) {
    solos[index].isBusy = true
    sent += 1
    let before = solos[index].count
    let badge: String
    let after: Int
    // Undone when all deliveries end negative; a count that was set remains.
    var taken = 0
    let number = 1 + Int(driver.dice.next() % 1000)
    switch driver.dice.next() % 8 {
    case 0: (badge, after) = (#","badge":{"set":\#(number)}"#, number)
    case 1: (badge, after) = (#","badge":{"clear":true}"#, 0)
    default:
      let step = 1 + number % 3
      (badge, after, taken) = (#","badge":{"increment":\#(step)}"#, min(1000, before + step), step)
    }
    driver.send(
      .urgent, #"{"clientUids":["\#(solos[index].user)"]}"#, badge + #","lane":"urgent""# + ShortMessages.request,
      recipients: solos[index].devices,
      badge: Message.Badge(after: after, takenBack: max(0, after - taken))
    ) { [self] message in
      if message.tally?.targeted != solos[index].devices.count {
        driver.verdict.violate("I6", "user \(solos[index].user) has two devices: \(message.tally?.text ?? "")")
      }
      solos[index].count = message.tally?.accepted ?? 0 > 0 ? after : max(0, after - taken)
      goOn(index)
    }
  }

  // MARK: What the user does then

  private func goOn(_ index: Int) {
    guard !driver.isResting else {
      solos[index].isBusy = false
      return
    }
    switch driver.dice.next() % 6 {
    case 0: solos[index].isBusy = false
    case 1: setBadge(index)
    case 2: showBadge(index)
    default: read(index)
    }
  }

  private func read(_ index: Int) {
    guard let unread = solos[index].unread.randomElement(using: &driver.dice) else { return showBadge(index) }
    let number = 1 + Int(driver.dice.next() % 1000)
    let isFirst = !solos[index].read.contains(unread.message.number)
    var option = ""
    var expected = solos[index].count
    switch driver.dice.next() % 8 {
    case 0:
      option = #","badgeOption":"reset""#
      if isFirst { expected = 0 }
    case 1:
      option = #","badgeOption":"update","badge":\#(number)"#
      if isFirst { expected = number }
    case 2:
      option = #","badgeOption":"force","badge":\#(number)"#
      expected = number
    default:
      if isFirst { expected = max(0, expected - 1) }
    }
    if !option.contains("force") { solos[index].read.insert(unread.message.number) }
    guard let seqno = unread.message.seqno else { return }
    let body = """
      {"reads":[{"seqno":"\(seqno)","psid":"\(unread.token)","pushkey":"\(unread.pushkey)"\(option)}]}
      """
    solos[index].count = expected
    driver.calls.send("POST", "/v1/reads", isOrdered: true, body) { [self] reply in
      let result = (reply.object["results"] as? [[String: Any]])?.first ?? [:]
      unread.message.noteRead(unread.device)
      check(index, result["badge"] as? Int, "a read (\(body))", reply)
      goOn(index)
    }
  }

  private func setBadge(_ index: Int) {
    let number = 1 + Int(driver.dice.next() % 1000)
    guard let device = solos[index].devices.min().map({ driver.cast.devices[$0] }) else { return }
    solos[index].count = number
    driver.calls.send(
      "PUT", "/v1/devices/\(device.id)/badge", bearer: device.authKey, isOrdered: true,
      #"{"badge":\#(number)}"#
    ) { [self] reply in
      check(index, reply.int("badge"), "a set to \(number)", reply)
      goOn(index)
    }
  }

  private func showBadge(_ index: Int) {
    guard let device = solos[index].devices.max().map({ driver.cast.devices[$0] }) else { return }
    driver.calls.send("GET", "/v1/devices/\(device.id)/badge", bearer: device.authKey) { [self] reply in
      check(index, reply.int("badge"), "a question", reply)
      solos[index].isBusy = false
    }
  }

  private func check(_ index: Int, _ badge: Int?, _ what: String, _ reply: Reply) {
    guard badge != solos[index].count else { return }
    driver.verdict.violate(
      "I5",
      """
      user \(solos[index].user): \(what) was answered \(badge.map(String.init) ?? "nothing"), \
      not \(solos[index].count): \(reply.status) \(reply.text.prefix(300))
      """)
    // Report only the first difference: the rest would follow from it.
    if let badge { solos[index].count = badge }
  }
}
