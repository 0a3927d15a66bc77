/// A JSON object, described once: its schema, and how it is written of a `Root` or read into one.
///
/// ```
/// static let object = JSONObject<Entry>("Webhook", [
///   .needed("webhook", .sequence, "Its number.") { $0.record.webhook },
///   .optional("secret", secret, "Only when it is new.") { $0.secret },
/// ])
/// static let object = JSONObject("NewWebhook", from: NewWebhook(), [
///   .required("url", url, \.url), .given("active", .flag, \.isActive),
/// ])
/// ```
/// What is read is closed: a member that is not named is refused. An answer may get further ones in later versions.
package struct JSONObject<Root>: Sendable {
  /// In the description.
  package let name: String
  /// False: it is told where it stands, not among the named ones.
  private let isNamed: Bool
  private let about: String?
  private let fields: [JSONField<Root>]
  /// Where each stands among the fields.
  private let places: [String: Int]
  /// Indexes of the required fields, in order.
  private let needed: [Int]
  /// What a request is read into; nil for an answer.
  private let blank: (@Sendable () -> Root)?
  /// Further members of the schema.
  private let more: [JSONTree.Member]

  /// Of an answer.
  package init(_ name: String, isNamed: Bool = true, about: String? = nil, _ fields: [JSONField<Root>]) {
    precondition(fields.allSatisfy { $0.writing != nil }, "\(name) has members that are not written")
    self.name = name
    self.isNamed = isNamed
    self.about = about
    self.fields = fields
    places = [:]
    needed = []
    blank = nil
    more = []
  }

  /// Of a request.
  /// - Parameters:
  ///   - blank: holds what is not given.
  ///   - more: what the schema says besides, such as `minProperties`.
  package init(
    _ name: String, isNamed: Bool = true, about: String? = nil, from blank: @escaping @autoclosure @Sendable () -> Root,
    more: [JSONTree.Member] = [], _ fields: [JSONField<Root>]
  ) {
    precondition(fields.allSatisfy { $0.reading != nil }, "\(name) has members that are not read")
    self.name = name
    self.isNamed = isNamed
    self.about = about
    self.fields = fields
    places = Dictionary(uniqueKeysWithValues: fields.enumerated().map { ($1.name, $0) })
    needed = fields.indices.filter { fields[$0].missing != nil }
    self.blank = blank
    self.more = more
  }

  // MARK: Describing

  package var schema: JSONTree {
    JSONSchema.object(about, isClosed: blank != nil, fields.compactMap(\.property)).adding(more)
  }

  /// As it stands among the named schemas of the description.
  package var named: JSONTree.Member { (name, schema) }

  /// Within another object.
  package var form: JSONForm<Root> {
    let object = self
    let schema = isNamed ? JSONSchema.reference(name) : schema
    return blank == nil
      ? JSONForm(schema) { root, writer in writer.object { object.write(root, to: &$0) } }
      : JSONForm(schema) { (reader) throws(JSONError) in try object.read(&reader) }
  }

  // MARK: Writing and reading

  /// Writes the members.
  package func write(_ root: Root, to writer: inout JSONWriter) {
    for field in fields { field.writing?(root, &writer) }
  }

  /// The whole object, in one line.
  package func text(of root: Root) -> String {
    var writer = JSONWriter()
    writer.object { write(root, to: &$0) }
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// Reads a text that is such an object and nothing else.
  /// - Parameter ignoresUnknownFields: for text of our own (see `JSONReader`).
  package func read(_ text: [UInt8], ignoresUnknownFields: Bool = false) throws(JSONError) -> Root {
    var reader = JSONReader(text, ignoresUnknownFields: ignoresUnknownFields)
    let (root, missing) = try readMembers(&reader, into: nil)
    // What is no JSON at all is said before what it lacks.
    try reader.finish()
    if let missing { throw missing }
    return root
  }

  /// - Parameter given: what is known already; nil: nothing.
  package func read(_ reader: inout JSONReader, into given: Root? = nil) throws(JSONError) -> Root {
    let (root, missing) = try readMembers(&reader, into: given)
    if let missing { throw missing }
    return root
  }

  private func readMembers(
    _ reader: inout JSONReader, into given: Root?
  ) throws(JSONError) -> (Root, missing: JSONError?) {
    guard let blank else { preconditionFailure("\(name) is an answer") }
    var root = given ?? blank()
    var isGiven = Array(repeating: false, count: fields.count)
    try reader.readObject { (reader, name) throws(JSONError) in
      guard let index = places[name], let read = fields[index].reading else { throw .unknownField }
      try read(&root, &reader)
      isGiven[index] = true
    }
    for index in needed where !isGiven[index] {
      return (root, fields[index].missing.map { JSONError($0).inside(fields[index].name) })
    }
    return (root, nil)
  }
}
