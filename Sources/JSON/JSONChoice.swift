/// An object with exactly one of several members, declared once for both its schema and parsing.
///
/// ```
/// static let choice = JSONChoice<BadgeRequest>("BadgeRequest", "What happens to the badge.", [
///   .of("set", .badge, "The count becomes this.") { .set($0) },
/// ])
/// ```
package struct JSONChoice<Root: Sendable>: Sendable {
  /// One of the possible members.
  package struct Option: Sendable {
    let name: String
    let schema: JSONTree
    let read: @Sendable (inout JSONReader) throws(JSONError) -> Root

    package static func of<Value>(
      _ name: String, _ form: JSONForm<Value>, _ about: String, _ make: @escaping @Sendable (Value) -> Root
    ) -> Option {
      guard let read = form.reading else { preconditionFailure("\(name) cannot be read") }
      return Option(
        name: name, schema: JSONSchema.object(isClosed: true, [.required(name, form.schema, about)]),
        read: { (reader) throws(JSONError) in make(try read(&reader)) })
    }
  }

  private let name: String
  private let about: String
  private let options: [Option]
  /// The index of each option by its name.
  private let places: [String: Int]

  package init(_ name: String, _ about: String, _ options: [Option]) {
    self.name = name
    self.about = about
    self.options = options
    places = Dictionary(uniqueKeysWithValues: options.enumerated().map { ($1.name, $0) })
  }

  /// The name and schema, for the API description's list of named schemas.
  package var named: JSONTree.Member {
    (
      name,
      JSONSchema.oneOf(
        options.map { $0.schema.titled(name + $0.name.prefix(1).uppercased() + $0.name.dropFirst()) }
      ).adding("description", .text(about))
    )
  }

  /// The form to use for members of other objects.
  package var form: JSONForm<Root> {
    let choice = self
    return JSONForm(JSONSchema.reference(name), read: { (reader) throws(JSONError) in try choice.read(&reader) })
  }

  package func read(_ reader: inout JSONReader) throws(JSONError) -> Root {
    var chosen: Root?
    var count = 0
    try reader.readObject { (reader, name) throws(JSONError) in
      guard let place = places[name] else { throw .unknownField }
      chosen = try options[place].read(&reader)
      count += 1
    }
    guard let chosen, count == 1 else {
      throw JSONError("must have exactly one of \(options.map(\.name).joined(separator: ", "))")
    }
    return chosen
  }
}
