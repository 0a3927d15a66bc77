package import JSON

/// Addresses on this server that stand in a message's payload instead of what did not fit it, or was uploaded. Found when
/// the message is accepted, and stored beside its request.
package struct HostedLinks: Equatable, Sendable {
  /// The page that holds `ext`.
  package var ext: String?
  /// The page that holds the message's text.
  package var text: String?
  /// The uploaded media.
  package var media: String?

  package init() {}

  package var isEmpty: Bool { self == HostedLinks() }

  /// As it is stored; nil when there is nothing to store.
  package var json: [UInt8]? {
    guard !isEmpty else { return nil }
    var writer = JSONWriter()
    writer.object { writer in
      if let ext { writer.member("ext", ext) }
      if let text { writer.member("text", text) }
      if let media { writer.member("media", media) }
    }
    return writer.bytes
  }

  /// - Parameter json: as `json` wrote it.
  package init(json: [UInt8]) throws(JSONError) {
    var links = HostedLinks()
    var reader = JSONReader(json)
    try reader.readObject { (reader, key) throws(JSONError) in
      switch key {
      case "ext": links.ext = try reader.readString()
      case "text": links.text = try reader.readString()
      case "media": links.media = try reader.readString()
      default: try reader.skip()
      }
    }
    self = links
  }
}

extension MessageContent {
  /// The content as it goes into the payload.
  package func replacing(_ links: HostedLinks) -> MessageContent {
    var content = self
    if let ext = links.ext { content.ext = ext }
    if let text = links.text { content.alert?.body = text }
    if let media = links.media { content.media = .url(media) }
    return content
  }
}
