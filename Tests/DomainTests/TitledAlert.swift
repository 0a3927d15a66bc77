@testable import Domain

/// What a request's `alert` with a literal title and body is read as.
extension Alert {
  static func titled(title: String, body: String) -> Alert {
    var parts = Parts()
    parts.title = .plain(title)
    parts.body = .plain(body)
    return .parts(parts)
  }
}
