/// What is asked for: `POST /3/device/<token>`, and nothing else on this door.
enum PathRules {
  static let devicePath = "/3/device/"

  /// First of all, because without a path there is nothing to authenticate for.
  static func check(_ request: PushRequest) -> Rejection? {
    let path = request.with(.path) { path -> Rejection? in
      guard ASCII.hasPrefix(path, devicePath) else {
        return ASCII.equal(path, "/3/device") ? Rejection(.missingDeviceToken) : Rejection(.badPath)
      }
      for index in devicePath.utf8.count..<path.count where path[index] == 0x2F { return Rejection(.badPath) }
      return nil
    }
    // No :path at all, which HTTP/2 libraries refuse before it comes here.
    guard let path else { return Rejection(.badPath) }
    if let rejection = path, rejection.reason == .badPath { return rejection }
    guard request.with(.method, { ASCII.equal($0, "POST") }) == true else { return Rejection(.methodNotAllowed) }
    if let path { return path }
    return request.with(.path) { $0.count == devicePath.utf8.count } == true ? Rejection(.missingDeviceToken) : nil
  }
}

/// A header of APNs twice is ambiguous: refused before any of them is believed.
enum DuplicateRules {
  static func check(_ request: PushRequest) -> Rejection? {
    request.hasRepeatedHeader ? Rejection(.duplicateHeaders) : nil
  }
}
