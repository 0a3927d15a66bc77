/// Validates the `apns-` headers, in the order in which errors are reported for a request with several.
enum HeaderRules {
  /// Validates the headers of a request.
  /// - Returns: the push type (nil if the request names none), or the first error.
  static func check(_ request: PushRequest) -> Result<PushType?, Rejection> {
    if request.with(.id, { MessageID($0) == nil }) == true { return .failure(Rejection(.badMessageID)) }
    // Seconds since 1970; 0 requests a single delivery attempt. A time in the past is valid.
    if request.with(.expiration, { ASCII.decimal($0) == nil }) == true {
      return .failure(Rejection(.badExpirationDate))
    }
    let pushType = request.with(.pushType) { PushType($0) }
    if let rejection = priority(request, pushType ?? nil) { return .failure(rejection) }
    if request.with(.collapseID, { $0.count > Limits.collapseIDBytes }) == true {
      return .failure(Rejection(.badCollapseID))
    }
    // The header may be absent (it is required for watchOS only) but must not be unknown.
    guard let named = pushType else { return .success(nil) }
    guard let known = named else { return .failure(Rejection(.invalidPushType)) }
    return .success(known)
  }

  private static func priority(_ request: PushRequest, _ pushType: PushType?) -> Rejection? {
    // The default is 10, but for a background push "using priority 10 is an error".
    let value = request.with(.priority) { text -> Int64 in ASCII.decimal(text) ?? -1 } ?? 10
    guard value == 10 || value == 5 || value == 1 else { return Rejection(.badPriority) }
    return pushType == .background && value == 10 ? Rejection(.badPriority) : nil
  }
}
