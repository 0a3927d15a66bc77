internal import JSON

/// An endpoint's request body and answers.
extension Endpoint {
  /// The request body of an endpoint, as the API description shows it: name of its schema, examples and media type.
  struct Body: Sendable {
    let schema: String
    /// Named examples, in the order in which the description shows them. Samples of JSON bodies use the first one.
    let examples: [(name: String, json: String)]
    let type: String
    /// Maximum size in bytes, for the description only (the handlers enforce the limit); nil to leave it out.
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

  /// A successful answer of an endpoint, as the API description shows it.
  struct Answer: Sendable {
    let status: Int
    let about: String
    /// Name of the answer's schema; nil if the answer has no body.
    let schema: String?
    let example: String?
    /// Endpoints that a client may call next, with parameters taken from this answer.
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

    /// Returns the JSON of a list page with one item and no next page, for examples.
    /// - Parameter item: the item as JSON.
    static func page(_ item: String) -> String { #"{"items":[\#(item)],"nextCursor":null}"# }
  }

  struct Link: Sendable {
    /// The `id` of the linked endpoint.
    let operation: String
    /// Names of the linked endpoint's parameters, each with the OpenAPI runtime expression for its value.
    let parameters: [(name: String, value: String)]

    /// Creates a link with one parameter.
    /// - Parameters:
    ///   - operation: the `id` of the linked endpoint.
    ///   - name: name of its parameter.
    ///   - value: OpenAPI runtime expression for the parameter's value.
    init(_ operation: String, _ name: String, _ value: String) {
      self.operation = operation
      parameters = [(name, value)]
    }
  }
}
