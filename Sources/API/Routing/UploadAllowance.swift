internal import Domain
internal import HTTPServer
internal import Operations

/// The rules for admin requests whose body is a file. They are applied after the head has arrived and the caller is
/// authenticated, and before the body is read, so that no client can fill memory or disk without a valid API key or
/// session. Decision 092.
enum UploadAllowance {
  /// Returns the body limit in bytes; nil to apply the limit of all other requests, because the path is not that of an
  /// upload or the caller may not send. The method is not checked: other methods on these paths ignore the body.
  static func limit(for request: Request, of caller: Caller) -> Int? {
    guard (try? caller.require(.send)) != nil else { return nil }
    if request.pathEquals("/v1/admin/uploads") { return AdminLimits.uploadBytes }
    if request.pathEquals("/v1/admin/audiences/csv") { return AdminLimits.csvBytes }
    return nil
  }

  /// Returns whether the path is that of an upload, whose body is a file that is read in parts and not a JSON object.
  static func isFile(_ request: Request) -> Bool {
    request.pathEquals("/v1/admin/uploads") || request.pathEquals("/v1/admin/audiences/csv")
  }
}
