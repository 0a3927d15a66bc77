/// The bodies of the device API's calls, and what their answers say.
enum DeviceCalls {
  /// One receipt or read that waits to be sent.
  struct Confirmation: Sendable {
    let device: Int
    let payload: PushPayload
  }

  /// `POST /v1/devices`.
  static func registration(_ device: Int, _ plan: VirtualDevices.Plan) -> [UInt8] {
    var text = #"{"appId":"\#(escaped(plan.appID))","pnsId":"APNS","environment":"\#(plan.environment.rawValue)""#
    text += #","psid":"\#(plan.token(of: device))","deviceId":"simulated-\#(plan.seed)-\#(device)""#
    if let user = plan.user(of: device) { text += #","clientUid":"user\#(user)","clientName":"User \#(user)""# }
    text += #","platform":"iOS","model":"Simulated","osVersion":"26.0","appVersion":"1.0","locale":"ko_KR"}"#
    return Array(text.utf8)
  }

  /// `POST /v1/receipts`.
  static func receipts(_ batch: [Confirmation], _ plan: VirtualDevices.Plan) -> [UInt8] {
    list("receipts", batch, plan, tail: "")
  }

  /// `POST /v1/reads`.
  static func reads(_ batch: [Confirmation], _ plan: VirtualDevices.Plan) -> [UInt8] {
    var tail = ""
    if let option = plan.badgeOption { tail += #","badgeOption":"\#(escaped(option))""# }
    if let badge = plan.badge { tail += #","badge":\#(badge)"# }
    return list("reads", batch, plan, tail: tail)
  }

  private static func list(
    _ name: String, _ batch: [Confirmation], _ plan: VirtualDevices.Plan, tail: String
  ) -> [UInt8] {
    var text = #"{"\#(name)":["#
    for (index, confirmation) in batch.enumerated() {
      if index > 0 { text += "," }
      text += #"{"seqno":"\#(confirmation.payload.seqno)","psid":"\#(plan.token(of: confirmation.device))""#
      text += #","pushkey":"\#(confirmation.payload.pushkey)"\#(tail)}"#
    }
    return Array((text + "]}").utf8)
  }

  /// `results[].status` in order; nil when the answer is not of that form.
  static func statuses(in answer: [UInt8]) -> [String]? {
    let text = answer.span
    var results: JSONText.Value?
    guard
      JSONText.members(
        of: text, { key, value in if ASCII.equal(text.extracting(key), "results") { results = value } }),
      let results
    else { return nil }
    var statuses: [String] = []
    let isWhole = JSONText.elements(of: text, in: results.range) { element in
      _ = JSONText.members(of: text, in: element.range) { key, value in
        guard ASCII.equal(text.extracting(key), "status"), let inner = JSONText.plainString(text, value) else { return }
        statuses.append(ASCII.string(text.extracting(inner)))
      }
    }
    return isWhole ? statuses : nil
  }

  /// Whether a registration's answer has what it promises: our id and the device's key.
  static func isRegistration(_ answer: [UInt8]) -> Bool {
    let text = answer.span
    var found = 0
    let isObject = JSONText.members(of: text) { key, value in
      guard value.kind == .string, value.range.count > 2 else { return }
      if ASCII.equal(text.extracting(key), "device") || ASCII.equal(text.extracting(key), "authKey") { found += 1 }
    }
    return isObject && found == 2
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\" + String(scalar)
      case _ where scalar.value < 0x20: continue
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
