internal import Domain
internal import HTTPServer
internal import Operations

/// What an answer in pieces tells. Whoever made it has checked that its caller may see it.
enum StreamSource: Sendable {
  enum Kind: Sendable {
    /// Numbers as they change.
    case live
    /// A file.
    case export
  }

  /// The numbers of a message, as they change: server-sent events.
  case funnel(seqno: Int64)
  /// What happens in an app, nil: in all, as it changes.
  case overview(App.Number?)
  case file(CSVExport)

  var headers: [(String, String)] {
    switch self {
    // What buffers on the way would hold events back; nginx heeds this.
    case .funnel, .overview: ServerSentEvent.headers + [("X-Accel-Buffering", "no")]
    case .file(let export):
      [
        ("Content-Type", "text/csv; charset=utf-8"), ("Cache-Control", "no-store"),
        ("Content-Disposition", "attachment; filename=\"\(export.name).csv\""),
      ]
    }
  }
}
