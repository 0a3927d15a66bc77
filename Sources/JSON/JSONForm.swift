/// The JSON representation of a type: its schema, and how its values are read and written.
///
/// A type that occurs only in answers needs no reader, and one only in requests no writer. Declaring a member with a
/// form that lacks the required half is a programming error and traps at the declaration.
package struct JSONForm<Value>: Sendable {
  package typealias Reading = @Sendable (inout JSONReader) throws(JSONError) -> Value
  package typealias Writing = @Sendable (Value, inout JSONWriter) -> Void

  package let schema: JSONTree
  let reading: Reading?
  let writing: Writing?

  package init(
    _ schema: JSONTree, read: @escaping Reading, write: @escaping Writing
  ) {
    self.schema = schema
    (reading, writing) = (read, write)
  }

  /// Creates a form for answers only.
  package init(_ schema: JSONTree, write: @escaping Writing) {
    self.schema = schema
    (reading, writing) = (nil, write)
  }

  /// Creates a form for requests only.
  package init(_ schema: JSONTree, read: @escaping Reading) {
    self.schema = schema
    (reading, writing) = (read, nil)
  }

  /// Reads one value.
  package func read(_ reader: inout JSONReader) throws(JSONError) -> Value {
    guard let reading else { preconditionFailure("this is of answers alone") }
    return try reading(&reader)
  }

  private init(_ schema: JSONTree, _ reading: Reading?, _ writing: Writing?) {
    self.schema = schema
    (self.reading, self.writing) = (reading, writing)
  }

  /// Returns the form with a different schema.
  package func described(_ schema: JSONTree) -> JSONForm { JSONForm(schema, reading, writing) }

  /// Returns the form converted to another type.
  /// - Parameters:
  ///   - meaning: converts a value read from JSON; returns nil if it is invalid.
  ///   - objection: error text for an invalid value, for example "must be an event's id (a UUID)".
  ///   - written: converts a value back to the one written to JSON.
  package func mapped<Meaning>(
    by meaning: @escaping @Sendable (Value) -> Meaning?, else objection: Sentence,
    written: @escaping @Sendable (Meaning) -> Value
  ) -> JSONForm<Meaning> {
    var (read, write): (JSONForm<Meaning>.Reading?, JSONForm<Meaning>.Writing?)
    if let reading {
      read = { (reader) throws(JSONError) in
        guard let found = meaning(try reading(&reader)) else { throw JSONError(objection) }
        return found
      }
    }
    if let writing { write = { value, writer in writing(written(value), &writer) } }
    return JSONForm<Meaning>(schema, read, write)
  }

  /// The form for an optional property; the value itself is never null.
  package var some: JSONForm<Value?> {
    mapped(by: { .some(.some($0)) }, else: "is not known") { value in
      guard let value else { preconditionFailure("there is nothing to write") }
      return value
    }
  }

  /// Returns a form that accepts the form's value or null.
  package static func orNull<Present>(_ form: JSONForm<Present>) -> JSONForm where Value == Present? {
    var (read, write): (Reading?, Writing?)
    if let reading = form.reading {
      read = { (reader) throws(JSONError) in try reader.readNull() ? nil : try reading(&reader) }
    }
    if let writing = form.writing {
      write = { value, writer in if let value { writing(value, &writer) } else { writer.null() } }
    }
    return JSONForm(JSONSchema.optional(form.schema), read, write)
  }

  /// Returns the form of a list of values.
  /// - Parameters:
  ///   - count: allowed number of elements; nil for any number.
  ///   - tooMany: error text for an element beyond the maximum.
  ///   - tooFew: error text for a list that is too short.
  package static func list<Element>(
    of form: JSONForm<Element>, _ count: ClosedRange<Int>? = nil, tooMany: Sentence? = nil,
    tooFew: Sentence? = nil
  ) -> JSONForm where Value == [Element] {
    var (read, write): (Reading?, Writing?)
    if let reading = form.reading {
      read = { (reader) throws(JSONError) in
        var values: [Element] = []
        var errors = JSONErrors()
        try reader.readArray { (reader, index) throws(JSONError) in
          if let most = count?.upperBound, index >= most {
            throw JSONError(tooMany ?? "is one more than the \(most) that there may be")
          }
          let place = reader.place
          do throws(JSONError) {
            values.append(try reading(&reader))
          } catch {
            try errors.note(error, of: String(index), in: &reader, from: place)
          }
        }
        if let error = JSONError(errors.all) { throw error }
        if let least = count?.lowerBound, values.count < least {
          throw JSONError(tooFew ?? "must have \(least) at least")
        }
        return values
      }
    }
    if let writing = form.writing {
      write = { values, writer in writer.array { writer in for value in values { writing(value, &writer) } } }
    }
    return JSONForm(JSONSchema.list(of: form.schema, count), read, write)
  }
}
