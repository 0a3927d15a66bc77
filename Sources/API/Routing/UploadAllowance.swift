internal import Domain
internal import HTTPServer
internal import Operations

/// How many megabytes a body may bring: asked when the head of a request is there and it is known whose it is, before any of
/// its body is awaited, so that nobody without a good API key or session can fill the memory or the disk.
enum UploadAllowance {
  /// Bytes of the body; nil when it may have no more than that of any other request. The method is not known yet when this is
  /// asked; no other one leads anywhere.
  static func limit(for request: Request, of caller: Caller) -> Int? {
    guard (try? caller.require(.send)) != nil else { return nil }
    if request.pathEquals("/v1/admin/uploads") { return AdminLimits.uploadBytes }
    if request.pathEquals("/v1/admin/audiences/csv") { return AdminLimits.csvBytes }
    return nil
  }

  /// Whether what comes is a file, and not an object that is read whole.
  static func isFile(_ request: Request) -> Bool {
    request.pathEquals("/v1/admin/uploads") || request.pathEquals("/v1/admin/audiences/csv")
  }
}
