internal import Domain
internal import HTTP2

/// The templates of the messages that are being sent: made once for each message and token, a campaign uses one for all
/// its pushes.
struct TemplateShelf {
  private var entries: [(message: PushMessage, template: RequestTemplate)] = []
  private var oldest = 0

  mutating func template(for message: PushMessage, make: () -> RequestTemplate) -> RequestTemplate {
    if let known = entries.first(where: { $0.message === message }) { return known.template }
    let made = make()
    if entries.count < APNs.Limits.templates {
      entries.append((message, made))
    } else {
      entries[oldest] = (message, made)
      oldest = (oldest + 1) % entries.count
    }
    return made
  }
}
