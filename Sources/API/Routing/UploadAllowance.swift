internal import Domain
internal import HTTPServer
internal import Operations

/// How large a body a request may bring. Decided once its head is there and its caller authenticated, before any of the
/// body is awaited, so that without a good API key or session no client can fill memory or disk. Decision 092.
enum UploadAllowance {
  /// The body limit in bytes; nil for the limit of any other request. The method is not checked: on these paths every
  /// other one is refused.
  static func limit(for request: Request, of caller: Caller) -> Int? {
    guard (try? caller.require(.send)) != nil else { return nil }
    if request.pathEquals("/v1/admin/uploads") { return AdminLimits.uploadBytes }
    if request.pathEquals("/v1/admin/audiences/csv") { return AdminLimits.csvBytes }
    return nil
  }

  /// Whether the body is a file, as opposed to an object that is read whole.
  static func isFile(_ request: Request) -> Bool {
    request.pathEquals("/v1/admin/uploads") || request.pathEquals("/v1/admin/audiences/csv")
  }
}
