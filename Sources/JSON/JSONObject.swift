/// A JSON object, declared once for its schema, for writing a `Root`, and for reading one.
///
/// ```
/// static let object = JSONObject<Entry>("Webhook", [
///   .always("webhookId", .sequence, \.record.webhook, "Its number."),
///   .optional("secret", secret, \.secret, "Only when it is new."),
/// ])
/// static let object = JSONObject("NewWebhook", from: NewWebhook(), [
///   .required("url", url, \.url), .given("active", .flag, \.isActive),
/// ])
/// ```
/// Requests with unknown members are refused. Answers may get further members in later versions.
package struct JSONObject<Root>: Sendable {
  /// The object's name in the API description.
  package let name: String
  /// True if the schema is listed as a named schema, false if it is inlined where it is used.
  private let isNamed: Bool
  private let about: String?
  private let fields: [JSONField<Root>]
  /// How each field is written; empty for objects of requests. Apart from the fields, because taking a field from a
  /// list copies its name, schema and sentence as well.
  private let writings: [JSONField<Root>.Writing]
  /// How each field is read; empty for objects of answers.
  private let readings: [JSONField<Root>.Reading]
  /// The index of each field by its name.
  private let places: [String: Int]
  /// The indexes of the required fields, in order of declaration.
  private let needed: [Int]
  /// Creates the value into which a request is read; nil for objects of answers.
  private let blank: (@Sendable () -> Root)?
  /// The additional members of the schema.
  private let more: [JSONTree.Member]

  /// Declares an object of answers.
  package init(_ name: String, isNamed: Bool = true, about: String? = nil, _ fields: [JSONField<Root>]) {
    precondition(fields.allSatisfy { $0.writing != nil }, "\(name) has members that are not written")
    self.name = name
    self.isNamed = isNamed
    self.about = about
    self.fields = fields
    writings = fields.compactMap { $0.writing }
    readings = []
    places = [:]
    needed = []
    blank = nil
    more = []
  }

  /// Declares an object of requests.
  /// - Parameters:
  ///   - blank: provides the values of members that are not given.
  ///   - more: additional members of the schema, such as `minProperties`.
  package init(
    _ name: String, isNamed: Bool = true, about: String? = nil, from blank: @escaping @autoclosure @Sendable () -> Root,
    more: [JSONTree.Member] = [], _ fields: [JSONField<Root>]
  ) {
    precondition(fields.allSatisfy { $0.reading != nil }, "\(name) has members that are not read")
    self.name = name
    self.isNamed = isNamed
    self.about = about
    self.fields = fields
    writings = []
    readings = fields.compactMap { $0.reading }
    places = Dictionary(uniqueKeysWithValues: fields.enumerated().map { ($1.name, $0) })
    needed = fields.indices.filter { fields[$0].missing != nil }
    self.blank = blank
    self.more = more
  }

  // MARK: Describing

  package var schema: JSONTree {
    JSONSchema.object(about, isClosed: blank != nil, fields.compactMap(\.property)).adding(more)
  }

  /// The name and schema, for the API description's list of named schemas.
  package var named: JSONTree.Member { (name, schema) }

  /// The form to use for members of other objects.
  package var form: JSONForm<Root> {
    let object = self
    let schema = isNamed ? JSONSchema.reference(name) : schema.titled(name)
    return blank == nil
      ? JSONForm(schema) { root, writer in writer.object { object.write(root, to: &$0) } }
      : JSONForm(schema) { (reader) throws(JSONError) in try object.read(&reader) }
  }

  // MARK: Writing and reading

  /// Writes the object's members.
  package func write(_ root: Root, to writer: inout JSONWriter) {
    for write in writings { write(root, &writer) }
  }

  /// Returns the complete object, on one line.
  package func text(of root: Root) -> String {
    var writer = JSONWriter()
    writer.object { write(root, to: &$0) }
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// Parses a text that consists of exactly one such object.
  /// - Parameter ignoresUnknownFields: true for text written by this server (see `JSONReader`).
  package func read(_ text: [UInt8], ignoresUnknownFields: Bool = false) throws(JSONError) -> Root {
    var reader = JSONReader(text, ignoresUnknownFields: ignoresUnknownFields)
    let (root, errors) = try readMembers(&reader, into: nil)
    // Invalid JSON is reported before members that are wrong or missing.
    try reader.finish()
    if let error = JSONError(errors) { throw error }
    return root
  }

  /// Parses one object.
  /// - Parameter given: a value to update; nil to start with a blank one.
  package func read(_ reader: inout JSONReader, into given: Root? = nil) throws(JSONError) -> Root {
    let (root, errors) = try readMembers(&reader, into: given)
    if let error = JSONError(errors) { throw error }
    return root
  }

  private func readMembers(
    _ reader: inout JSONReader, into given: Root?
  ) throws(JSONError) -> (Root, [JSONError]) {
    guard let blank else { preconditionFailure("\(name) is an answer") }
    var root = given ?? blank()
    var isGiven = Array(repeating: false, count: fields.count)
    var errors = JSONErrors()
    try reader.readObject { (reader, name) throws(JSONError) in
      let (place, index) = (reader.place, places[name])
      if let index { isGiven[index] = true }
      do throws(JSONError) {
        guard let index else { throw .unknownField }
        try readings[index](&root, &reader)
      } catch {
        try errors.note(error, of: name, in: &reader, from: place)
      }
    }
    for index in needed where !isGiven[index] {
      if let missing = fields[index].missing { errors.add(JSONError(missing).inside(fields[index].name)) }
    }
    return (root, errors.all)
  }
}
