internal import JSON

/// The body. The real service takes any bytes within the limit; whether they are JSON it does not say.
enum PayloadRules {
  /// - Parameter isStrict: also demand what the device would need: a JSON object with an `aps` object (MDM excepted).
  static func check(_ request: PushRequest, _ pushType: PushType?, isStrict: Bool) -> Rejection? {
    if request.bodyBytes == 0 { return Rejection(.payloadEmpty) }
    let limit = pushType?.payloadLimitBytes ?? Limits.payloadBytes
    if request.bodyBytes > limit { return Rejection(.payloadTooLarge) }
    guard isStrict, !isWellFormed(request.withBody { ASCII.array($0) }, pushType) else { return nil }
    return Rejection(.badRequestPayload)
  }

  private static func isWellFormed(_ body: [UInt8], _ pushType: PushType?) -> Bool {
    var kinds: [String: JSONReader.Kind] = [:]
    var reader = JSONReader(body)
    do {
      try reader.readObject { (reader, name) throws(JSONError) in
        kinds[name] = try reader.peek()
        try reader.skip()
      }
      try reader.finish()
    } catch {
      return false
    }
    return pushType == .mdm ? kinds["mdm"] == .string : kinds["aps"] == .object
  }
}
