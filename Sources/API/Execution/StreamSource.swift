internal import Domain
internal import HTTPServer
internal import Operations

/// Content of an answer in pieces. Its creator has checked that the caller may see it.
enum StreamSource: Sendable {
  enum Kind: Sendable {
    /// Numbers as they change.
    case live
    /// A file.
    case export
  }

  /// A message's numbers as they change: server-sent events.
  case funnel(seqno: Int64)
  /// What happens in an app (nil: in all apps) as it changes.
  case overview(App.Number?)
  case file(CSVExport)

  var headers: [(String, String)] {
    switch self {
    // Proxies that buffer would hold events back; nginx honours this header.
    case .funnel, .overview: ServerSentEvent.headers + [("X-Accel-Buffering", "no")]
    case .file(let export):
      [
        ("Content-Type", "text/csv; charset=utf-8"), ("Cache-Control", "no-store"),
        ("Content-Disposition", "attachment; filename=\"\(export.name).csv\""),
      ]
    }
  }
}
