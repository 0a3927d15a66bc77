internal import JSON

/// What an endpoint takes as its body, and what it answers.
extension Endpoint {
  /// What the request carries.
  struct Body: Sendable {
    let schema: String
    /// By name; the first is shown.
    let examples: [(name: String, json: String)]
    let type: String
    /// The most that it may have; nil where that is for others to say: files tell it themselves.
    let bytes: Int?

    init(
      schema: String, examples: [(name: String, json: String)], type: String = "application/json", bytes: Int? = nil
    ) {
      self.schema = schema
      self.examples = examples
      self.type = type
      self.bytes = bytes
    }

    init<Root>(_ object: JSONObject<Root>, examples: [(name: String, json: String)], bytes: Int? = nil) {
      self.init(schema: object.name, examples: examples, bytes: bytes)
    }
  }

  /// A good end.
  struct Answer: Sendable {
    let status: Int
    let about: String
    /// Nil when there is no body.
    let schema: String?
    let example: String?
    /// Other endpoints that may follow, with the parameters that this answer gives them.
    let links: [Link]
    let type: String

    init(
      _ status: Int, _ about: String, _ schema: String? = nil, example: String? = nil, links: [Link] = [],
      type: String = "application/json"
    ) {
      self.type = type
      self.status = status
      self.about = about
      self.schema = schema
      self.example = example
      self.links = links
    }

    init<Root>(
      _ status: Int, _ about: String, _ object: JSONObject<Root>, example: String, links: [Link] = []
    ) {
      self.init(status, about, object.name, example: example, links: links)
    }

    /// A page of a list, as an example with one item.
    static func page(_ item: String) -> String { #"{"items":[\#(item)],"nextCursor":null}"# }
  }

  struct Link: Sendable {
    /// The `id` of the other endpoint.
    let operation: String
    /// Name of the parameter there, and an expression for its value.
    let parameters: [(name: String, value: String)]

    /// - Parameter value: a runtime expression as OpenAPI has them.
    init(_ operation: String, _ name: String, _ value: String) {
      self.operation = operation
      parameters = [(name, value)]
    }
  }
}
