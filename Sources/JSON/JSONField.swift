/// One member of an object: its name, what it means, and where its value is found in `Root` or goes to.
///
/// `needed` and `optional` are of answers, `required` and `given` of requests.
package struct JSONField<Root>: Sendable {
  let name: String
  /// Nil: it is known to the reader, not to the description.
  let property: JSONSchema.Property?
  let writing: (@Sendable (Root, inout JSONWriter) -> Void)?
  let reading: (@Sendable (inout Root, inout JSONReader) throws(JSONError) -> Void)?
  /// What is said when it is not there; nil where it need not be.
  let missing: String?

  // MARK: Of answers

  /// Always there.
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

  /// Left out where there is none.
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

  /// The same member of something that has a `Root`.
  package func of<Whole>(_ part: @escaping @Sendable (Whole) -> Root) -> JSONField<Whole> {
    precondition(reading == nil, "\(name) is read")
    var write: (@Sendable (Whole, inout JSONWriter) -> Void)?
    if let writing { write = { whole, writer in writing(part(whole), &writer) } }
    return JSONField<Whole>(name: name, property: property, writing: write, reading: nil, missing: nil)
  }

  // MARK: Of requests

  /// Must be there.
  /// - Parameter missing: what is said when it is not.
  package static func required<Value>(
    _ name: String, _ form: JSONForm<Value>, _ place: any WritableKeyPath<Root, Value> & Sendable,
    _ about: String? = nil, missing: String = "is needed"
  ) -> JSONField {
    field(.required(name, form.schema, about), form, missing: missing) { $0[keyPath: place] = $1 }
  }

  /// May be there; else its place stays as it is.
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

  /// May be there, and goes where `set` puts it.
  package static func given<Value>(
    _ name: String, _ form: JSONForm<Value>, _ about: String? = nil,
    set: @escaping @Sendable (inout Root, Value) -> Void
  ) -> JSONField {
    field(.optional(name, form.schema, about), form, missing: nil, set)
  }

  /// May be there; how it is read is for `read` to know.
  package static func reading(
    _ name: String, _ schema: JSONTree, _ about: String? = nil,
    _ read: @escaping @Sendable (inout Root, inout JSONReader) throws(JSONError) -> Void
  ) -> JSONField {
    JSONField(name: name, property: .optional(name, schema, about), writing: nil, reading: read, missing: nil)
  }

  /// The same member, which goes into a part of something.
  package func placed<Whole>(_ part: any WritableKeyPath<Whole, Root> & Sendable) -> JSONField<Whole> {
    guard let reading else { preconditionFailure("\(name) is not read") }
    return JSONField<Whole>(
      name: name, property: property, writing: nil,
      reading: { (whole, reader) throws(JSONError) in try reading(&whole[keyPath: part], &reader) }, missing: missing)
  }

  /// Read, and not described: the server writes it.
  package var unlisted: JSONField {
    JSONField(name: name, property: nil, writing: writing, reading: reading, missing: missing)
  }

  /// Known only to whoever reads what the server has stored.
  package var stored: JSONField {
    guard let reading else { preconditionFailure("\(name) is not read") }
    return JSONField(
      name: name, property: nil, writing: nil,
      reading: { (root, reader) throws(JSONError) in
        guard reader.ignoresUnknownFields else { throw .unknownField }
        try reading(&root, &reader)
      }, missing: nil)
  }

  /// Described here, and taken out by somebody else before this is read.
  package static func elsewhere(_ name: String, _ schema: JSONTree, _ about: String) -> JSONField {
    JSONField(
      name: name, property: .optional(name, schema, about), writing: nil,
      reading: { (_, _) throws(JSONError) in throw .unknownField }, missing: nil)
  }

  /// Not part of the object, and refused in better words than an unknown one.
  package static func refused(_ name: String, _ objection: String) -> JSONField {
    JSONField(
      name: name, property: nil, writing: nil,
      reading: { (_, reader) throws(JSONError) in
        try reader.skip()
        throw JSONError(objection)
      }, missing: nil)
  }

  private static func field<Value>(
    _ property: JSONSchema.Property, _ form: JSONForm<Value>, missing: String?,
    _ set: @escaping @Sendable (inout Root, Value) -> Void
  ) -> JSONField {
    guard let read = form.reading else { preconditionFailure("\(property.name) cannot be read") }
    return JSONField(
      name: property.name, property: property, writing: nil,
      reading: { (root, reader) throws(JSONError) in set(&root, try read(&reader)) }, missing: missing)
  }
}
