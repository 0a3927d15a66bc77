/// The body. The real service takes any bytes within the limit; whether they are JSON it does not say.
enum PayloadRules {
  /// - Parameter isStrict: also demand what the device would need: a JSON object with an `aps` object (MDM excepted).
  static func check(_ request: PushRequest, _ pushType: PushType?, isStrict: Bool) -> Rejection? {
    if request.bodyBytes == 0 { return Rejection(.payloadEmpty) }
    let limit = pushType?.payloadLimitBytes ?? Simulator.Limits.payloadBytes
    if request.bodyBytes > limit { return Rejection(.payloadTooLarge) }
    guard isStrict, !request.withBody({ isWellFormed($0, pushType) }) else { return nil }
    return Rejection(.badRequestPayload)
  }

  private static func isWellFormed(_ body: Span<UInt8>, _ pushType: PushType?) -> Bool {
    var hasAps = false
    var hasMDM = false
    let isObject = JSONText.members(of: body) { key, value in
      if ASCII.equal(body.extracting(key), "aps"), value.kind == .object { hasAps = true }
      if ASCII.equal(body.extracting(key), "mdm"), value.kind == .string { hasMDM = true }
    }
    return isObject && (pushType == .mdm ? hasMDM : hasAps)
  }
}
