internal import Domain
internal import HTTP2

/// The templates of messages being sent: built once per message and token, so that a campaign uses one for all its
/// pushes.
struct TemplateCache {
  /// The last one used: almost always the one needed next.
  private var last: (message: PushMessage, template: RequestTemplate)?
  private var entries: [(message: PushMessage, template: RequestTemplate)] = []
  private var oldest = 0

  mutating func template(for message: PushMessage, make: () -> RequestTemplate) -> RequestTemplate {
    if let last, last.message === message { return last.template }
    let template = find(message) ?? keep(message, make())
    last = (message, template)
    return template
  }

  private func find(_ message: PushMessage) -> RequestTemplate? {
    entries.first { $0.message === message }?.template
  }

  private mutating func keep(_ message: PushMessage, _ template: RequestTemplate) -> RequestTemplate {
    if entries.count < PushTransport.Limits.templates {
      entries.append((message, template))
    } else {
      entries[oldest] = (message, template)
      oldest = (oldest + 1) % entries.count
    }
    return template
  }
}
