/// The form of the `apns-` headers, one rule each, in the order of the answer a request with several faults gets.
enum HeaderRules {
  /// - Returns: the push type (nil when the request names none) or the first rule broken.
  static func check(_ request: PushRequest) -> Result<PushType?, Rejection> {
    if request.with(.id, { MessageID($0) == nil }) == true { return .failure(Rejection(.badMessageID)) }
    // UNIX seconds; 0 means one attempt. A date in the past is well formed.
    if request.with(.expiration, { ASCII.decimal($0) == nil }) == true {
      return .failure(Rejection(.badExpirationDate))
    }
    let pushType = request.with(.pushType) { PushType($0) }
    if let rejection = priority(request, pushType ?? nil) { return .failure(rejection) }
    if request.with(.collapseID, { $0.count > Limits.collapseIDBytes }) == true {
      return .failure(Rejection(.badCollapseID))
    }
    // Missing is allowed (required for watchOS only); unknown is not.
    guard let named = pushType else { return .success(nil) }
    guard let known = named else { return .failure(Rejection(.invalidPushType)) }
    return .success(known)
  }

  private static func priority(_ request: PushRequest, _ pushType: PushType?) -> Rejection? {
    // Omitted means 10, and for a background push "using priority 10 is an error".
    let value = request.with(.priority) { text -> Int64 in ASCII.decimal(text) ?? -1 } ?? 10
    guard value == 10 || value == 5 || value == 1 else { return Rejection(.badPriority) }
    return pushType == .background && value == 10 ? Rejection(.badPriority) : nil
  }
}
