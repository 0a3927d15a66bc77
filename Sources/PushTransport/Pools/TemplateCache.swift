internal import Domain
internal import HTTP2

/// A cache of request templates, one per message: all pushes of a campaign share the same header fields.
struct TemplateCache {
  /// The most recently used entry, checked first because the next push almost always has the same message.
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
