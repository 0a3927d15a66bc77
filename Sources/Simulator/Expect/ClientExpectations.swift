/// The steps of a conformance run: a client's seven calls, and failures that must not cause losses or duplicates.
enum ClientExpectations {
  static let firstToken = String(repeating: "a1", count: 32)
  static let secondToken = String(repeating: "b2", count: 32)

  /// Returns a payload with an alert.
  static func payload(_ seqno: Int, _ more: String = "") -> String {
    #"{"aps":{"alert":{"title":"Title","body":"Text"},"mutable-content":1},"mps":{"appid":"com.example.expect","#
      + #""seqno":"\#(seqno)","sender":"admin","senddate":"2026112510","db_in":"Y","pushkey":"\#(pushkey(seqno))"}\#(more)}"#
  }

  static func pushkey(_ seqno: Int) -> String {
    let digits = String(seqno, radix: 16)
    return String(repeating: "0", count: 40 - digits.utf8.count) + digits
  }

  static let script: [ExpectedStep] = [
    ExpectedStep(
      title: "registers service and user", action: .register(token: firstToken, clientUID: "kim01"),
      judge: registration),
    ExpectedStep(title: "confirms a push", action: .push([payload(101)]), judge: receipts(101...101, firstToken)),
    ExpectedStep(
      title: "keeps a receipt while the server is busy", action: .push([payload(102)]), manner: .busy, judge: once),
    ExpectedStep(
      title: "sends it later", action: .flush(afterSeconds: 2), judge: receipts(102...102, firstToken, .lostWhenBusy)),
    ExpectedStep(
      title: "keeps a receipt behind a log-in page", action: .push([payload(103)]), manner: .page,
      judge: { _, _ in [] }),
    ExpectedStep(
      title: "sends it later", action: .flush(afterSeconds: 2), judge: receipts(103...103, firstToken, .lostBehindPage)),
    ExpectedStep(
      title: "keeps 150 receipts while the server is busy", action: .push((201...350).map { payload($0) }),
      manner: .busy, judge: once),
    ExpectedStep(title: "is ended and started again", action: .restart, judge: { _, _ in [] }),
    ExpectedStep(
      title: "sends them later, up to 100 a call", action: .flush(afterSeconds: 2),
      judge: receipts(201...350, firstToken, .lostAtRestart)),
    ExpectedStep(
      title: "sends a receipt that the server refuses", action: .push([payload(104)]), manner: .unknown,
      judge: receipts(104...104, firstToken)),
    ExpectedStep(
      title: "does not send it again", action: .flush(afterSeconds: 2),
      judge: none(.repeatsRefused)),
    ExpectedStep(
      title: "leaves a silent push alone",
      action: .push([#"{"aps":{"content-available":1},"mps":{"seqno":"105","pushkey":"\#(pushkey(105))"}}"#]),
      judge: none(.confirmsSilent)),
    ExpectedStep(
      title: "leaves another sender's push alone", action: .push([#"{"aps":{"alert":"Hello"},"other":{"seqno":"1"}}"#]),
      judge: none(.confirmsForeign)),
    ExpectedStep(
      title: "leaves a confirmed push alone", action: .push([payload(106, #","feedback":"true""#)]),
      judge: none(.confirmsTwice)),
    ExpectedStep(
      title: "confirms a read", action: .read(payload: payload(101), badgeOption: nil, badge: nil),
      judge: read(101, firstToken, ["keep", nil], nil)),
    ExpectedStep(
      title: "confirms a read that resets", action: .read(payload: payload(102), badgeOption: "reset", badge: nil),
      judge: read(102, firstToken, ["reset"], nil)),
    ExpectedStep(
      title: "confirms a read that sets", action: .read(payload: payload(103), badgeOption: "update", badge: 1000),
      judge: read(103, firstToken, ["update"], 1000)),
    ExpectedStep(
      title: "refuses a badge of 1001 in a read",
      action: .read(payload: payload(201), badgeOption: "update", badge: 1001), judge: none(.badgeUnchecked)),
    ExpectedStep(title: "refuses a badge of 0", action: .setBadge(0), judge: nothing(.badgeUnchecked)),
    ExpectedStep(title: "sets the badge", action: .setBadge(7), judge: device("PUT", "/badge", .badgeMissing)),
    ExpectedStep(title: "follows no redirect", action: .setBadge(8), manner: .redirect, judge: redirect),
    ExpectedStep(
      title: "joins a group", action: .joinGroup("12"), judge: device("PUT", "/groups/12", .groupMissing)),
    ExpectedStep(
      title: "registers another token", action: .register(token: secondToken, clientUID: "kim01"), judge: another),
    ExpectedStep(
      title: "confirms with the other token", action: .push([payload(107)]), judge: receipts(107...107, secondToken)),
    ExpectedStep(
      title: "unregisters the user", action: .unregisterUser, judge: device("DELETE", "/user", .leaveMissing)),
    ExpectedStep(
      title: "unregisters the service", action: .unregisterService, judge: device("DELETE", "", .leaveMissing)),
  ]

  // MARK: Judges

  private typealias Judge = @Sendable ([ExpectedRequest], ExpectationFacts) -> [ClientFault]

  private static let registration: Judge = { requests, facts in
    guard let first = requests.first(where: \.isRegistration) else { return [.registrationMissing] }
    var faults: [ClientFault] = []
    if first.key != facts.clientKey { faults.append(.registrationKey) }
    let isWhole =
      first.isJSON && first.body.appId == facts.appID && first.body.psid?.lowercased() == firstToken
      && first.body.deviceId?.isEmpty == false
    // The user may also be registered in a separate call.
    let named = requests.contains { $0.body.clientUid == "kim01" }
    if !isWhole || !named { faults.append(.registrationIncomplete) }
    return faults
  }

  private static let another: Judge = { requests, facts in
    guard let first = requests.first(where: \.isRegistration) else { return [.registrationMissing] }
    var faults: [ClientFault] = []
    if first.body.deviceId != facts.deviceID { faults.append(.tokenAsAnotherDevice) }
    if first.key != facts.authKey { faults.append(.tokenWithoutKey) }
    if first.body.psid?.lowercased() != secondToken { faults.append(.registrationIncomplete) }
    return faults
  }

  /// Checks that all of these receipts have arrived, and that they are correct.
  private static func receipts(
    _ seqnos: ClosedRange<Int>, _ token: String, _ missing: ClientFault = .receiptMissing
  ) -> Judge {
    { requests, _ in
      let calls = requests.filter { $0.path == "/v1/receipts" }
      var faults = common(calls)
      let entries = calls.flatMap { $0.confirmations ?? [] }
      let came = Set(entries.compactMap { $0.seqno.flatMap { Int($0) } })
      if !came.isSuperset(of: seqnos) { faults.append(missing) }
      let isRight = entries.filter { $0.seqno.flatMap { Int($0) }.map(seqnos.contains) == true }.allSatisfy {
        $0.pushkey == $0.seqno.flatMap { Int($0) }.map(pushkey) && $0.psid?.lowercased() == token
      }
      if !isRight { faults.append(.receiptWrong) }
      return faults
    }
  }

  private static func read(_ seqno: Int, _ token: String, _ options: [String?], _ badge: Int?) -> Judge {
    { requests, _ in
      let calls = requests.filter { $0.path == "/v1/reads" }
      let entries = calls.flatMap { $0.confirmations ?? [] }
      guard let entry = entries.first(where: { $0.seqno == String(seqno) }) else { return [.readMissing] }
      let isRight =
        entry.pushkey == pushkey(seqno) && entry.psid?.lowercased() == token && options.contains(entry.badgeOption)
        && entry.badge == badge
      return common(calls) + (isRight ? [] : [.readWrong])
    }
  }

  private static func common(_ calls: [ExpectedRequest]) -> [ClientFault] {
    var faults: [ClientFault] = []
    if calls.contains(where: { $0.key != nil }) { faults.append(.receiptWithKey) }
    if calls.contains(where: { ($0.confirmations?.count ?? 0) > 100 }) { faults.append(.batchTooLarge) }
    return faults
  }

  /// Checks that the client calls a busy server only once.
  private static let once: Judge = { requests, _ in
    let calls = requests.filter { $0.confirmations != nil }
    return common(calls) + (calls.count > 1 ? [.asksTooSoon] : [])
  }

  /// Checks that no confirmation has arrived.
  private static func none(_ fault: ClientFault) -> Judge {
    { requests, _ in requests.contains { $0.confirmations?.isEmpty == false } ? [fault] : [] }
  }

  /// Checks that no request has arrived.
  private static func nothing(_ fault: ClientFault) -> Judge {
    { requests, _ in requests.isEmpty ? [] : [fault] }
  }

  private static func device(_ method: String, _ path: String, _ fault: ClientFault) -> Judge {
    { requests, facts in
      let isThere = requests.contains {
        $0.method == method && $0.path == "/v1/devices/\(facts.device)\(path)" && $0.key == facts.authKey
      }
      return isThere ? [] : [fault]
    }
  }

  private static let redirect: Judge = { requests, _ in
    requests.contains { $0.path == ExpectationDoor.elsewhere } ? [.followsRedirect] : []
  }
}
