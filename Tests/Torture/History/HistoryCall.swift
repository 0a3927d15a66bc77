import Foundation

/// A call as the history records it: the request in the terms of `History`, independent of paths and bodies.
struct HistoryCall {
  /// JSON members, for `invoke`.
  let asked: String
  private let op: String

  /// Nil for a call that no promise covers.
  init?(_ method: String, _ target: String, key: String?, body: String) {
    let parts = target.prefix { $0 != "?" }.split(separator: "/").map(String.init)
    let object = (try? JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any]) ?? [:]
    guard let (op, members) = Self.translate(method, parts, key, object) else { return nil }
    self.op = op
    asked = (["\"op\":\"\(op)\""] + members.map { "\"\($0.0)\":\(Self.json($0.1))" }).joined(separator: ",")
  }

  private static func translate(
    _ method: String, _ parts: [String], _ key: String?, _ object: [String: Any]
  ) -> (String, [(String, Any?)])? {
    switch (method, parts.dropFirst().first, parts.count) {
    case ("POST", "devices", 2):
      ("register", [("installation", object["deviceId"]), ("token", object["psid"]), ("user", object["clientUid"])])
    case ("PUT", "devices", 5) where parts[3] == "groups": ("join", [("device", parts[2]), ("group", parts[4])])
    case ("PUT", "devices", 4) where parts[3] == "badge":
      ("setBadge", [("device", parts[2]), ("value", object["badge"])])
    case ("GET", "devices", 4) where parts[3] == "badge": ("getBadge", [("device", parts[2])])
    case ("POST", "receipts", 2): ("receipt", [("items", items(object["receipts"]) { _ in [] })])
    case ("POST", "reads", 2):
      (
        "read",
        [("items", items(object["reads"]) { [$0["badgeOption"] ?? "keep", $0["badge"] ?? NSNull()] })]
      )
    case (_, "admin", 3...): translateAdmin(method, Array(parts.dropFirst(2)), key, object)
    default: nil
    }
  }

  private static func translateAdmin(
    _ method: String, _ parts: [String], _ key: String?, _ object: [String: Any]
  ) -> (String, [(String, Any?)])? {
    switch (method, parts[0], parts.count) {
    case ("POST", "messages", 1): ("send", [("key", key)] + message(object))
    case ("GET", "messages", 2): ("funnel", [("seqno", parts[1])])
    case ("POST", "messages", 3) where parts[2] == "resend": ("resend", [("key", key), ("of", parts[1])])
    case ("POST", "messages", 3): (parts[2], [("seqno", parts[1])])
    case ("DELETE", "users", 2): ("erase", [("user", parts[1])])
    default: nil
    }
  }

  private static func message(_ object: [String: Any]) -> [(String, Any?)] {
    let audience = object["audience"] as? [String: Any] ?? [:]
    let names = audience["clientUids"] ?? audience["groups"]
    let kind = audience["clientUids"] != nil ? "users" : audience["groups"] != nil ? "groups" : "all"
    let badge = (object["badge"] as? [String: Any])?.first.map { [$0.key, $0.key == "clear" ? 0 : $0.value] }
    var sms: [Any]?
    if object["sms"] as? Bool == true, let fallback = object["fallback"] as? [String: Any],
      let after = fallback["after"] as? String, let seconds = Int(after.filter(\.isNumber))
    {
      sms = [seconds, fallback["unless"] ?? "received"]
    }
    return [("audience", kind), ("names", names), ("badge", badge), ("sms", sms)]
  }

  private static func items(_ list: Any?, _ more: ([String: Any]) -> [Any]) -> [Any] {
    (list as? [[String: Any]] ?? []).map { [$0["seqno"] ?? NSNull(), $0["psid"] ?? NSNull()] + more($0) }
  }

  /// The event's kind and members, once the attempt was answered.
  func outcome(_ id: Int, _ reply: Reply) -> (kind: String, members: String) {
    guard reply.status < 500 else { return ("unknown", "\"id\":\(id)") }
    guard (200..<300).contains(reply.status) else { return ("fail", "\"id\":\(id),\"status\":\(reply.status)") }
    let object = reply.object
    var answer = ["\"id\":\(id)"]
    for name in Self.told[op] ?? [] { answer.append("\"\(name)\":\(Self.json(object[name]))") }
    if op == "receipt" || op == "read" {
      let results = (object["results"] as? [[String: Any]] ?? []).map { result -> Any in
        let status = result["status"] ?? NSNull()
        return op == "read" ? [status, result["badge"] ?? NSNull()] : status
      }
      answer.append("\"results\":\(Self.json(results))")
    }
    return ("ok", answer.joined(separator: ","))
  }

  private static let told = [
    "register": ["device"], "send": ["seqno"], "resend": ["seqno"], "setBadge": ["badge"], "getBadge": ["badge"],
    "funnel": [
      "state", "targeted", "pending", "accepted", "rejected", "expired", "cancelled", "skipped", "received", "read",
      "unknown", "resent",
    ],
  ]

  static func json(_ value: Any?) -> String {
    guard let value,
      let data = try? JSONSerialization.data(
        withJSONObject: value, options: [.fragmentsAllowed, .withoutEscapingSlashes])
    else { return "null" }
    return String(decoding: data, as: UTF8.self)
  }
}

/// Records the attempts of one call in a history; without a history it does nothing.
struct HistoryAttempts {
  private let history: History
  private let run: Int
  private let process: Int
  private let call: HistoryCall

  init?(_ history: History?, run: Int, _ method: String, _ target: String, key: String?, body: String) {
    guard let history, let call = HistoryCall(method, target, key: key, body: body) else { return nil }
    (self.history, self.run, self.call) = (history, run, call)
    process = history.newProcess()
  }

  /// Returns the attempt's id.
  func begin() -> Int { history.invoke(run: run, process: process, call.asked) }

  /// - Parameter reply: nil if there was none.
  func end(_ id: Int?, _ reply: Reply?) {
    guard let id else { return }
    let (kind, members) = reply.map { call.outcome(id, $0) } ?? ("unknown", "\"id\":\(id)")
    history.note(kind, run: run, members)
  }
}
