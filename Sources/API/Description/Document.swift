internal import JSON
internal import Domain
internal import HTTPServer
internal import Operations

/// The OpenAPI 3.1 document, assembled from the endpoints, schemas and problems. Decision 154.
enum Document {
  /// Returns the whole document.
  static func make() -> JSONTree {
    let refusals = RefusalResponses()
    return .object([
      ("openapi", "3.1.0"),
      ("info", info),
      ("servers", .list([.object([("url", "/")])])),
      ("tags", .list(Endpoint.Area.allCases.map(tag) + [WebhookSection.tag])),
      ("paths", paths(refusals)), ("webhooks", WebhookSection.node), ("x-pushes", pushes),
      ("components", components(refusals)),
    ])
  }

  private static let info = JSONTree.object([
    ("title", "UPMC"), ("version", .text(API.version)),
    ("summary", "A push message center you host yourself."),
    ("description", .text(Introduction.text)),
    ("license", .object([("name", "Apache License 2.0"), ("identifier", "Apache-2.0")])),
  ])

  private static func tag(_ area: Endpoint.Area) -> JSONTree {
    .object([("name", .text(area.rawValue)), ("description", .text(area.about))])
  }

  /// Schemas of the payloads that phones receive, by push network. They are in an extension of the document, because no
  /// endpoint answers with them.
  private static let pushes = JSONTree.object([
    ("APNS", .object([("schema", JSONSchema.reference(PayloadSchemas.received.apns))])),
    ("FCM", .object([("schema", JSONSchema.reference(PayloadSchemas.received.fcm))])),
  ])

  // MARK: Paths

  private static func paths(_ refusals: RefusalResponses) -> JSONTree {
    var patterns: [String] = []
    for endpoint in Endpoint.all where !patterns.contains(endpoint.pattern) { patterns.append(endpoint.pattern) }
    return .object(
      patterns.map { pattern in
        let endpoints = Endpoint.all.filter { $0.pattern == pattern }
        let names = endpoints[0].pathParameters.map { JSONTree.reference($0, in: "parameters") }
        let parameters: [JSONTree.Member] = names.isEmpty ? [] : [("parameters", .list(names))]
        return (
          pattern, .object(parameters + endpoints.map { ($0.method.rawValue.lowercased(), node($0, refusals)) })
        )
      })
  }

  private static func node(_ endpoint: Endpoint, _ refusals: RefusalResponses) -> JSONTree {
    var members: [JSONTree.Member] = [
      ("operationId", .text(endpoint.id)), ("tags", .texts([endpoint.area.rawValue])),
      ("summary", .text(endpoint.summary)), ("description", .text(description(endpoint))),
      ("security", security(endpoint.access)),
    ]
    if !endpoint.parameters.isEmpty { members.append(("parameters", .list(endpoint.parameters.map(node)))) }
    if let body = endpoint.body { members.append(("requestBody", node(body))) }
    members.append(
      (
        "responses",
        .object(endpoint.answers.map { (String($0.status), node($0)) } + refusals.responses(of: endpoint))
      ))
    return .object(members)
  }

  private static func description(_ endpoint: Endpoint) -> String {
    guard let permission = endpoint.access.permission else { return endpoint.about }
    let roles = Role.allCases.filter { $0.allows(permission) }.map(\.rawValue)
    let fresh =
      """
      \n\nA console session must have begun within the last \(Operations.Limits.freshSignInSeconds / 60) minutes. \
      Otherwise the answer is 401 `upmc:fresh-sign-in-needed`: sign in again, and repeat the request. API keys need \
      nothing more.
      """
    return endpoint.about + (endpoint.needsFreshSignIn ? fresh : "")
      + "\n\nRoles that may: \(roles.joined(separator: ", "))."
  }

  private static func security(_ access: Endpoint.Access) -> JSONTree {
    switch access {
    case .open: .list([])
    case .clientKey: .list([.object([("clientKey", .list([]))]), .object([("authKey", .list([]))])])
    case .authKey: .list([.object([("authKey", .list([]))])])
    case .caller, .permission: .list([.object([("apiKey", .list([]))])])
    }
  }

  private static func node(_ parameter: Endpoint.Parameter) -> JSONTree {
    .object([
      ("name", .text(parameter.name)), ("in", .text(parameter.place.rawValue)), ("required", .flag(parameter.isNeeded)),
      ("description", .text(parameter.about)), ("schema", parameter.schema),
    ])
  }

  private static func node(_ body: Endpoint.Body) -> JSONTree {
    let examples = body.examples.map { example in
      let value = body.type == "application/json" ? JSONTree.json(example.json) : .text(example.json)
      return (example.name, JSONTree.object([("value", value)])) as JSONTree.Member
    }
    let bound: [JSONTree.Member] =
      body.bytes.map {
        [
          ("description", .text("Up to \($0) bytes; a longer one is refused with 413 at its head.")),
          ("x-maxBytes", .number($0)),
        ]
      } ?? []
    return .object(
      bound + [
        ("required", .flag(true)),
        (
          "content",
          .object([
            (
              body.type,
              .object(
                [("schema", JSONSchema.reference(body.schema))]
                  + (examples.isEmpty ? [] : [("examples", .object(examples))]))
            )
          ])
        ),
      ])
  }

  private static func node(_ answer: Endpoint.Answer) -> JSONTree {
    var members: [JSONTree.Member] = [
      ("description", .text(answer.about)), ("headers", .object([("X-Request-Id", requestID)])),
    ]
    if let schema = answer.schema {
      let type = ["Page": "text/html", "Text": "text/plain"][schema] ?? answer.type
      var content: [JSONTree.Member] = [("schema", JSONSchema.reference(schema))]
      if let example = answer.example {
        content.append(("example", type == "application/json" ? .json(example) : .text(example)))
      }
      members.append(("content", .object([(type, .object(content))])))
    }
    if !answer.links.isEmpty {
      members.append(
        (
          "links",
          .object(
            answer.links.map { link in
              let parameters = JSONTree.object(link.parameters.map { ($0.name, .text($0.value)) })
              return (link.operation, .object([("operationId", .text(link.operation)), ("parameters", parameters)]))
            })
        ))
    }
    return .object(members)
  }

  static let requestID = JSONTree.reference("X-Request-Id", in: "headers")

  // MARK: Components

  private static func components(_ refusals: RefusalResponses) -> JSONTree {
    .object([
      ("schemas", .object(Schemas.all)),
      ("parameters", .object(PathParameter.all.map { ($0.name, $0.node) })),
      ("headers", .object(headers)),
      ("responses", .object(refusals.components)),
      ("securitySchemes", .object(Introduction.securitySchemes)),
    ])
  }

  private static let headers: [JSONTree.Member] = [
    (
      "X-Request-Id",
      .object([
        ("description", "Names this request in the server's log and in problems."), ("required", .flag(true)),
        ("schema", JSONSchema.text(matching: "^[0-9a-f]{16}$")),
      ])
    ),
    (
      "Retry-After",
      .object([
        ("description", "Seconds to wait before the request is made again."), ("required", .flag(true)),
        ("schema", .object([("type", "integer"), ("minimum", .number(1))])),
      ])
    ),
    (
      "WWW-Authenticate",
      .object([
        ("description", "Which kind of credential is needed: `Bearer`."), ("required", .flag(true)),
        ("schema", JSONSchema.anyText),
      ])
    ),
  ]
}
