/// Validates method and path: only `POST /3/device/<token>` is allowed.
enum PathRules {
  static let devicePath = "/3/device/"

  /// Returns BadPath, MethodNotAllowed or MissingDeviceToken; nil if path and method are valid. Checked first, because
  /// without a valid path there is nothing to authenticate for.
  static func check(_ request: PushRequest) -> Rejection? {
    let path = request.with(.path) { path -> Rejection? in
      guard ASCII.hasPrefix(path, devicePath) else {
        return ASCII.equal(path, "/3/device") ? Rejection(.missingDeviceToken) : Rejection(.badPath)
      }
      for index in devicePath.utf8.count..<path.count where path[index] == 0x2F { return Rejection(.badPath) }
      return nil
    }
    // There is no `:path`, which HTTP/2 libraries reject earlier.
    guard let path else { return Rejection(.badPath) }
    if let rejection = path, rejection.reason == .badPath { return rejection }
    guard request.with(.method, { ASCII.equal($0, "POST") }) == true else { return Rejection(.methodNotAllowed) }
    if let path { return path }
    return request.with(.path) { $0.count == devicePath.utf8.count } == true ? Rejection(.missingDeviceToken) : nil
  }
}

/// Refuses requests that repeat an APNs header, because its value would be ambiguous.
enum DuplicateRules {
  static func check(_ request: PushRequest) -> Rejection? {
    request.hasRepeatedHeader ? Rejection(.duplicateHeaders) : nil
  }
}
