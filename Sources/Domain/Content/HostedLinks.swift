package import JSON

/// URLs on this server that replace content which was uploaded or does not fit into the payload. They are determined
/// when the message is accepted, and stored with its request.
package struct HostedLinks: Equatable, Sendable {
  /// URL of the page with `ext`; nil if `ext` is in the payload or missing.
  package var ext: String?
  /// URL of the page with the message's text; nil if the text is in the payload or missing.
  package var text: String?
  /// URL of the uploaded media; nil if none were uploaded for the message.
  package var media: String?

  package init() {}

  package var isEmpty: Bool { self == HostedLinks() }

  /// The links as JSON for storing; nil if there are none.
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

  /// Parses the stored form; members of a newer version are ignored. Throws if this is not a JSON object whose links
  /// are strings.
  /// - Parameter json: text written by `json`.
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
  /// Returns the content with these links in place of the content that they replace, as in the payload. Translations
  /// are unchanged, because a translated text is never moved to a page.
  package func replacing(_ links: HostedLinks) -> MessageContent {
    var content = self
    if let ext = links.ext { content.ext = ext }
    if let text = links.text { content.alert?.body = text }
    if let media = links.media { content.media = .url(media) }
    return content
  }
}
