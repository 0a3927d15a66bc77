/// The script of a conformance run: the requests that a client must send, and the failures in which it must neither
/// lose nor repeat any of them.
enum ClientExpectations {
  static let firstToken = String(repeating: "a1", count: 32)
  static let secondToken = String(repeating: "b2", count: 32)
  static let proof = "expect-proof"

  /// Returns a payload with an alert. `more` is appended to the members of `mps`.
  static func payload(_ seqno: Int, _ more: String = "") -> String {
    #"{"aps":{"alert":{"title":"Title","body":"Text"},"mutable-content":1},"mps":{"appid":"com.example.expect","#
      + #""seqno":"\#(seqno)","sender":"admin","senddate":"2026112510","db_in":"Y","pushkey":"\#(pushkey(seqno))"}\#(more)}"#
  }

  /// Returns a payload of a silent push, which shows nothing.
  static func silent(_ seqno: Int) -> String {
    #"{"aps":{"content-available":1},"mps":{"seqno":"\#(seqno)","pushkey":"\#(pushkey(seqno))"}}"#
  }

  static func pushkey(_ seqno: Int) -> String {
    let digits = String(seqno, radix: 16)
    return String(repeating: "0", count: 40 - digits.utf8.count) + digits
  }

  static let script: [ExpectedStep] = [
    ExpectedStep(
      title: "registers service and user, with its proof",
      action: .register(token: firstToken, clientUID: "kim01", proof: proof), judge: registration),
    ExpectedStep(title: "confirms a push", action: .push([payload(101)]), judge: receipts(101...101, firstToken)),
    ExpectedStep(
      title: "keeps a receipt while the server is busy", action: .push([payload(102)]), manner: .busy, judge: patience),
    ExpectedStep(
      title: "sends it later", action: .flush(afterSeconds: 2), judge: receipts(102...102, firstToken, .lostWhenBusy)),
    ExpectedStep(
      title: "keeps a receipt behind a log-in page", action: .push([payload(103)]), manner: .page,
      judge: { _, _ in [] }),
    ExpectedStep(
      title: "sends it later", action: .flush(afterSeconds: 2), judge: receipts(103...103, firstToken, .lostBehindPage)),
    ExpectedStep(
      title: "keeps 150 receipts while the server is busy", action: .push((201...350).map { payload($0) }),
      manner: .busy, judge: patience),
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
      action: .push([silent(105)]), judge: none(.confirmsSilent)),
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
      title: "names a user whose proof is refused", action: .setUser(clientUID: "lee02", proof: "stale-proof"),
      manner: .unproved, judge: unproved),
    ExpectedStep(
      title: "registers another token", action: .register(token: secondToken, clientUID: "kim01", proof: proof),
      judge: another),
    ExpectedStep(
      title: "confirms with the other token", action: .push([payload(107)]), judge: receipts(107...107, secondToken)),
    ExpectedStep(
      title: "registers in an app that is strict", part: .strict,
      action: .register(token: secondToken, clientUID: "kim01", proof: proof), manner: .strict, judge: another),
    ExpectedStep(
      title: "brings the silent push back, but the server is busy", part: .strict, action: .push([silent(108)]),
      manner: .busy, judge: possession(108, secondToken, .possessionMissing)),
    ExpectedStep(
      title: "brings it back later", part: .strict, action: .flush(afterSeconds: 2),
      judge: possession(108, secondToken, .possessionLost)),
    ExpectedStep(
      title: "confirms a push, and brings back no more", part: .strict, action: .push([payload(109)]),
      judge: { requests, facts in
        receipts(109...109, secondToken)(requests, facts)
          + (requests.contains(where: \.isPossession) ? [.possessionRepeated] : [])
      }),
    ExpectedStep(title: "uses the key of the last answer", part: .strict, action: .setBadge(9), judge: lastKey),
    ExpectedStep(
      title: "gives one consent and refuses another", part: .consent, action: .consent(notification: true, ad: false),
      judge: consent),
    ExpectedStep(title: "reads the inbox, page by page", part: .inbox, action: .inbox, judge: inbox),
    ExpectedStep(
      title: "unregisters the user", action: .unregisterUser, judge: device("DELETE", "/user", .leaveMissing)),
    ExpectedStep(
      title: "unregisters the service", action: .unregisterService, judge: device("DELETE", "", .leaveMissing)),
  ]
}
