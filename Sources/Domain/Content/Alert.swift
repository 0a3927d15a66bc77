package import JSON

/// The text of a notification: a body alone, or its parts.
package enum Alert: Equatable, Sendable {
  case text(String)
  case parts(Parts)

  /// The dictionary form of an alert. Localized texts inside the app are referenced by key (`…LocKey`). A part that is
  /// nil is not shown; a valid alert has a body.
  package struct Parts: Equatable, Sendable {
    package var title: Text?
    package var subtitle: Text?
    package var body: Text?
    package var launchImage: String?
    /// Key of a localized text for the action button of old iOS versions; nil for none.
    package var actionKey: String?

    package init() {}
  }

  /// A literal text, or the key of a localized text inside the app.
  package enum Text: Equatable, Sendable {
    case plain(String)
    case key(String, arguments: [String])
  }

  /// The literal body text; nil if it is missing or referenced by key. Setting a text replaces the literal body or the
  /// key; setting nil has no effect.
  package var body: String? {
    get {
      switch self {
      case .text(let text): text
      case .parts(let parts): if case .plain(let text)? = parts.body { text } else { nil }
      }
    }
    set {
      guard let newValue else { return }
      switch self {
      case .text: self = .text(newValue)
      case .parts(var parts):
        parts.body = .plain(newValue)
        self = .parts(parts)
      }
    }
  }
}

// MARK: Reading

extension Alert {
  static func read(_ reader: inout JSONReader) throws(JSONError) -> Alert {
    if try reader.peek() == .string { return .text(try reader.readText(upTo: Domain.Limits.hostedTextBytes)) }
    return .parts(try Form.object.read(&reader).parts())
  }

  package static let named: JSONTree.Member = (
    "Alert",
    JSONSchema.oneOf([
      JSONSchema.text(upTo: Domain.Limits.hostedTextBytes).titled("AlertText"), Form.object.form.schema,
    ]).adding(
      "description",
      """
      What people see: `body` or `locKey` is needed. A `…LocKey` names a text inside the app and stands instead of the \
      text itself. `%CUID%` and `%CNAME%` stand for each recipient's own.
      """)
  )

  /// The members of the dictionary form as parsed; `parts` checks their consistency.
  private struct Form {
    struct Line {
      var text: String?
      var key: String?
      var arguments: [String]?
    }
    var title = Line()
    var subtitle = Line()
    var body = Line()
    var launchImage: String?
    var actionKey: String?

    static let object = JSONObject(
      "AlertParts", isNamed: false, from: Form(),
      more: [
        (
          "dependentRequired",
          .object([
            ("titleLocArgs", .texts(["titleLocKey"])), ("subtitleLocArgs", .texts(["subtitleLocKey"])),
            ("locArgs", .texts(["locKey"])),
          ])
        )
      ],
      [
        .given("title", text, \.title.text), .given("titleLocKey", text, \.title.key),
        .given("titleLocArgs", arguments, \.title.arguments), .given("subtitle", text, \.subtitle.text),
        .given("subtitleLocKey", text, \.subtitle.key), .given("subtitleLocArgs", arguments, \.subtitle.arguments),
        .given("body", .text(upTo: Domain.Limits.hostedTextBytes), \.body.text), .given("locKey", text, \.body.key),
        .given("locArgs", arguments, \.body.arguments), .given("launchImage", text, \.launchImage),
        .given("actionLocKey", text, \.actionKey, "The name of a text inside the app, for the button of old."),
      ])

    private static let text = JSONForm.text(upTo: Domain.Limits.voipPayloadBytes)
    private static let arguments = JSONForm<[String]>.list(of: .givenText)

    func parts() throws(JSONError) -> Parts {
      var parts = Parts()
      parts.title = try Self.text(title, key: "titleLocKey", arguments: "titleLocArgs")
      parts.subtitle = try Self.text(subtitle, key: "subtitleLocKey", arguments: "subtitleLocArgs")
      parts.body = try Self.text(body, key: "locKey", arguments: "locArgs")
      parts.launchImage = launchImage
      parts.actionKey = actionKey
      guard parts.body != nil else { throw JSONError.contradiction("is needed, or locKey").inside("body") }
      return parts
    }

    private static func text(_ line: Line, key: String, arguments: String) throws(JSONError) -> Text? {
      if let name = line.key {
        guard line.text == nil else {
          throw JSONError.contradiction("stands instead of the text itself: give one of them").inside(key)
        }
        return .key(name, arguments: line.arguments ?? [])
      }
      guard line.arguments == nil else { throw JSONError.contradiction("needs \(key)").inside(arguments) }
      return line.text.map(Text.plain)
    }
  }
}

// MARK: Writing

extension Alert {
  func write(to writer: inout JSONWriter) {
    switch self {
    case .text(let text): writer.member("alert", text)
    case .parts(let parts):
      writer.member(
        "alert",
        object: { writer in
          Self.write(parts.title, "title", "title-loc-key", "title-loc-args", to: &writer)
          Self.write(parts.subtitle, "subtitle", "subtitle-loc-key", "subtitle-loc-args", to: &writer)
          Self.write(parts.body, "body", "loc-key", "loc-args", to: &writer)
          if let key = parts.actionKey { writer.member("action-loc-key", key) }
          if let image = parts.launchImage { writer.member("launch-image", image) }
        })
    }
  }

  private static func write(
    _ text: Text?, _ plain: String, _ key: String, _ arguments: String, to writer: inout JSONWriter
  ) {
    switch text {
    case .plain(let text): writer.member(plain, text)
    case .key(let name, let list):
      writer.member(key, name)
      write(list, arguments, to: &writer)
    case nil: break
    }
  }

  private static func write(_ arguments: [String], _ name: String, to writer: inout JSONWriter) {
    guard !arguments.isEmpty else { return }
    writer.member(name, array: { writer in for argument in arguments { writer.value(argument) } })
  }

  /// Writes the alert of a Live Activity, in which keys are nested inside `title` and `body`, and the sound is a
  /// member. Other parts are omitted, because Live Activities cannot show them.
  func writeForActivity(to writer: inout JSONWriter, sound: NotificationSound?) {
    var lines: [(name: String, text: Text)] = []
    switch self {
    case .text(let text): lines = [("body", .plain(text))]
    case .parts(let parts):
      if let title = parts.title { lines.append(("title", title)) }
      if let body = parts.body { lines.append(("body", body)) }
    }
    writer.member(
      "alert",
      object: { writer in
        for (name, text) in lines {
          switch text {
          case .plain(let text): writer.member(name, text)
          case .key(let key, let arguments):
            writer.member(
              name,
              object: { writer in
                writer.member("loc-key", key)
                Self.write(arguments, "loc-args", to: &writer)
              })
          }
        }
        sound?.write(to: &writer)
      })
  }
}
