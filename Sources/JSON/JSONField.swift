/// Declares a member of an object: its name and meaning, and how its value is read from or written to a `Root`.
///
/// `always` and `optional` declare members of answers, `required` and `given` members of requests.
package struct JSONField<Root>: Sendable {
  typealias Writing = @Sendable (Root, inout JSONWriter) -> Void
  typealias Reading = @Sendable (inout Root, inout JSONReader) throws(JSONError) -> Void

  let name: String
  /// The member's entry in the API description; nil if the member is accepted but not documented.
  let property: JSONSchema.Property?
  let writing: Writing?
  let reading: Reading?
  /// The error text if the member is missing; nil if it is optional.
  let missing: Sentence?

  // MARK: Answers

  /// Returns a member that is always present.
  package static func always<Value>(
    _ name: String, _ form: JSONForm<Value>, _ value: @escaping @Sendable (Root) -> Value, _ about: String? = nil
  ) -> JSONField {
    guard let write = form.writing else { preconditionFailure("\(name) cannot be written") }
    return JSONField(
      name: name, property: .required(name, form.schema, about),
      writing: { root, writer in
        writer.name(name)
        write(value(root), &writer)
      }, reading: nil, missing: nil)
  }

  /// Returns a member that is omitted if there is no value.
  package static func optional<Value>(
    _ name: String, _ form: JSONForm<Value>, _ value: @escaping @Sendable (Root) -> Value?, _ about: String? = nil
  ) -> JSONField {
    guard let write = form.writing else { preconditionFailure("\(name) cannot be written") }
    return JSONField(
      name: name, property: .optional(name, form.schema, about),
      writing: { root, writer in
        guard let value = value(root) else { return }
        writer.name(name)
        write(value, &writer)
      }, reading: nil, missing: nil)
  }

  /// Converts the field for a type that contains a `Root`.
  package func of<Whole>(_ part: @escaping @Sendable (Whole) -> Root) -> JSONField<Whole> {
    precondition(reading == nil, "\(name) is read")
    var write: JSONField<Whole>.Writing?
    if let writing { write = { whole, writer in writing(part(whole), &writer) } }
    return JSONField<Whole>(name: name, property: property, writing: write, reading: nil, missing: nil)
  }

  // MARK: Requests

  /// Returns a member that requests must have.
  /// - Parameter missing: error text if the member is missing.
  package static func required<Value>(
    _ name: String, _ form: JSONForm<Value>, _ place: any WritableKeyPath<Root, Value> & Sendable,
    _ about: String? = nil, missing: Sentence = "is needed"
  ) -> JSONField {
    field(.required(name, form.schema, about), form, missing: missing) { $0[keyPath: place] = $1 }
  }

  /// Returns an optional member; if it is missing, the property keeps its value.
  package static func given<Value>(
    _ name: String, _ form: JSONForm<Value>, _ place: any WritableKeyPath<Root, Value> & Sendable,
    _ about: String? = nil
  ) -> JSONField {
    field(.optional(name, form.schema, about), form, missing: nil) { $0[keyPath: place] = $1 }
  }

  package static func given<Value>(
    _ name: String, _ form: JSONForm<Value>, _ place: any WritableKeyPath<Root, Value?> & Sendable,
    _ about: String? = nil
  ) -> JSONField {
    field(.optional(name, form.schema, about), form, missing: nil) { $0[keyPath: place] = $1 }
  }

  /// Returns an optional member whose value is passed to `set`.
  package static func given<Value>(
    _ name: String, _ form: JSONForm<Value>, _ about: String? = nil,
    set: @escaping @Sendable (inout Root, Value) -> Void
  ) -> JSONField {
    field(.optional(name, form.schema, about), form, missing: nil, set)
  }

  /// Returns an optional member that is parsed by `read`.
  package static func reading(
    _ name: String, _ schema: JSONTree, _ about: String? = nil,
    _ read: @escaping @Sendable (inout Root, inout JSONReader) throws(JSONError) -> Void
  ) -> JSONField {
    JSONField(name: name, property: .optional(name, schema, about), writing: nil, reading: read, missing: nil)
  }

  /// Converts the field for a type that has a `Root` as a property.
  package func placed<Whole>(_ part: any WritableKeyPath<Whole, Root> & Sendable) -> JSONField<Whole> {
    guard let reading else { preconditionFailure("\(name) is not read") }
    return JSONField<Whole>(
      name: name, property: property, writing: nil,
      reading: { (whole, reader) throws(JSONError) in try reading(&whole[keyPath: part], &reader) }, missing: missing)
  }

  /// The field without its entry in the API description, for members that only the server writes.
  package var unlisted: JSONField {
    JSONField(name: name, property: nil, writing: writing, reading: reading, missing: missing)
  }

  /// The field as one that is accepted only in text stored by the server; in requests it counts as unknown.
  package var stored: JSONField {
    guard let reading else { preconditionFailure("\(name) is not read") }
    return JSONField(
      name: name, property: nil, writing: nil,
      reading: { (root, reader) throws(JSONError) in
        guard reader.ignoresUnknownFields else { throw .unknownField }
        try reading(&root, &reader)
      }, missing: nil)
  }

  /// Returns a member that is only documented here, because it is removed from the request before parsing.
  package static func elsewhere(_ name: String, _ schema: JSONTree, _ about: String) -> JSONField {
    JSONField(
      name: name, property: .optional(name, schema, about), writing: nil,
      reading: { (_, _) throws(JSONError) in throw .unknownField }, missing: nil)
  }

  /// Returns a member that is always refused, with a more helpful error than that for unknown members.
  package static func refused(_ name: String, _ objection: Sentence) -> JSONField {
    JSONField(
      name: name, property: nil, writing: nil,
      reading: { (_, reader) throws(JSONError) in
        try reader.skip()
        throw JSONError(objection)
      }, missing: nil)
  }

  private static func field<Value>(
    _ property: JSONSchema.Property, _ form: JSONForm<Value>, missing: Sentence?,
    _ set: @escaping @Sendable (inout Root, Value) -> Void
  ) -> JSONField {
    guard let read = form.reading else { preconditionFailure("\(property.name) cannot be read") }
    return JSONField(
      name: property.name, property: property, writing: nil,
      reading: { (root, reader) throws(JSONError) in set(&root, try read(&reader)) }, missing: missing)
  }
}
