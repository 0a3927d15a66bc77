internal import JSON

/// The bodies of the device API's calls, and what their answers say.
enum DeviceCalls {
  /// One receipt or read that waits to be sent.
  struct Confirmation: Sendable {
    let device: Int
    let payload: PushPayload
  }

  /// `POST /v1/devices`.
  static func registration(_ device: Int, _ plan: DevicePlan) -> [UInt8] {
    var writer = JSONWriter(capacity: 512)
    writer.object { writer in
      writer.member("appId", plan.appID)
      writer.member("pnsId", plan.isAndroid ? "FCM" : "APNS")
      if !plan.isAndroid { writer.member("environment", plan.environment.rawValue) }
      writer.member("psid", plan.name(of: device))
      writer.member("deviceId", "simulated-\(plan.isAndroid ? "android-" : "")\(plan.seed)-\(device)")
      if let user = plan.user(of: device) {
        writer.member("clientUid", "user\(user)")
        writer.member("clientName", "User \(user)")
      }
      for (name, text) in [
        ("platform", plan.isAndroid ? "Android" : "iOS"), ("model", "Simulated"),
        ("osVersion", plan.isAndroid ? "16" : "26.0"), ("appVersion", "1.0"), ("locale", "ko_KR"),
      ] {
        writer.member(name, text)
      }
    }
    return writer.bytes
  }

  /// `POST /v1/receipts`.
  static func receipts(_ batch: [Confirmation], _ plan: DevicePlan) -> [UInt8] {
    list("receipts", batch, plan) { _ in }
  }

  /// `POST /v1/reads`.
  static func reads(_ batch: [Confirmation], _ plan: DevicePlan) -> [UInt8] {
    list("reads", batch, plan) { writer in
      if let option = plan.badgeOption { writer.member("badgeOption", option) }
      if let badge = plan.badge { writer.member("badge", badge) }
    }
  }

  private static func list(
    _ name: String, _ batch: [Confirmation], _ plan: DevicePlan, _ rest: (inout JSONWriter) -> Void
  ) -> [UInt8] {
    var writer = JSONWriter(capacity: 64 + batch.count * 192)
    writer.object { writer in
      writer.name(name)
      writer.array { writer in
        for confirmation in batch {
          writer.object { writer in
            writer.member("seqno", confirmation.payload.seqno)
            writer.member("psid", plan.name(of: confirmation.device))
            writer.member("pushkey", confirmation.payload.pushkey)
            rest(&writer)
          }
        }
      }
    }
    return writer.bytes
  }

  /// `results[].status` in order; nil when the answer is not of that form.
  static func statuses(in answer: [UInt8]) -> [String]? {
    var statuses: [String]?
    var reader = JSONReader(answer)
    do {
      try reader.readObject { (reader, name) throws(JSONError) in
        guard name == "results" else { return try reader.skip() }
        var found: [String] = []
        try reader.readArray { (reader, _) throws(JSONError) in
          try reader.readObject { (reader, name) throws(JSONError) in
            if name == "status" { found.append(try reader.readString()) } else { try reader.skip() }
          }
        }
        statuses = found
      }
      try reader.finish()
    } catch {
      return nil
    }
    return statuses
  }

  /// Whether a registration's answer has what it promises: our id and the device's key.
  static func isRegistration(_ answer: [UInt8]) -> Bool {
    var promised: Set<String> = []
    var reader = JSONReader(answer)
    do {
      try reader.readObject { (reader, name) throws(JSONError) in
        guard name == "device" || name == "authKey" else { return try reader.skip() }
        if try !reader.readString().isEmpty { promised.insert(name) }
      }
      try reader.finish()
    } catch {
      return false
    }
    return promised.count == 2
  }
}
