internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations
internal import Store

/// Endpoint for the console's page about the server's own health.
extension Endpoint {
  static let serverState: [Endpoint] = [
    Endpoint(
      .get, "/v1/admin/server", id: "showServer", in: .server, "Show the server's state",
      """
      The nodes by their leases, the database, and what the answering node counts and complains about. Counts since its \
      start are this node's alone: `/metrics` of each node has the others. The caller must reach every app.
      """, by: .permission(.manageQuarantine),
      answers: [
        Answer(
          200, "The state.", ServerState.object,
          example: """
            {"version":"1.0.0","complaints":[],"nodes":[{"nodeId":"0f9b4d1e-3a52-4c1b-8a60-0c1d2e3f4a5b","isAlive":true,\
            "aliveUntil":"2026-11-21T09:30:10.000Z","host":"push-1","version":"1.0.0",\
            "startedAt":"2026-11-20T09:00:00.000Z","claims":2,"claimedDevices":2000}],\
            "database":{"version":"17.2","connections":14,"maxConnections":100,\
            "oldestTransactionSeconds":0.2,"replicationSeconds":null,"bytes":104857600,"walBytes":null},\
            "samples":[{"name":"upmc_push_in_flight","labels":{"network":"apns"},"value":3}]}
            """)
      ], problems: [.forbidden, .impossible], handler: .whole(AdminCall.serverState))
  ]

  /// The named schema that this endpoint adds to the OpenAPI document (`Schemas`).
  static let serverStateSchemas: [JSONTree.Member] = [ServerState.object.named]
}

private struct ServerState: DescribedAnswer {
  let node: NodeState
  let database: DatabaseState

  static let object = JSONObject<ServerState>(
    "ServerState",
    [
      .always("version", .anyText, { _ in Product.version }, "The answering node's release."),
      .always("complaints", .list(of: .sentence), \.node.complaints, "What keeps pushes from leaving."),
      .always(
        "nodes",
        .list(
          of: JSONObject<DatabaseState.Node>(
            "ServerNode", isNamed: false,
            [
              .always("nodeId", .anyText, \.id), .always("isAlive", .flag, \.isAlive),
              .always("aliveUntil", .moment, \.aliveUntil, "When its lease ends or has ended."),
              .always("host", .orNull(.anyText), \.host, "The name of its machine; null: it has not said so yet."),
              .always("version", .orNull(.anyText), \.version, "Its release; null: it has not said so yet."),
              .always("startedAt", .orNull(.moment), \.startedAt, "Since when it works."),
              .always("claims", .count, \.claims, "Batches of deliveries that it holds."),
              .always("claimedDevices", .count, \.devices, "Devices in these batches."),
            ]
          ).form), \.database.nodes, "At most 100, the newest leases first."),
      .always(
        "database",
        JSONObject<DatabaseState>(
          "ServerDatabase", isNamed: false,
          [
            .always("version", .anyText, \.version), .always("connections", .count, \.connections),
            .always("maxConnections", .count, \.mostConnections),
            .always("oldestTransactionSeconds", .raw(number), { Array(String($0.oldestTransactionSeconds).utf8) }),
            .always(
              "replicationSeconds", .raw(JSONSchema.optional(number)),
              { Array(($0.replicationSeconds.map { String($0) } ?? "null").utf8) },
              "The slowest standby's delay; null: none is connected, or the role may not see it."),
            .always("bytes", .count, \.bytes, "Size of this database."),
            .always(
              "walBytes", .orNull(.count), \.walBytes,
              "Size of the write-ahead log; null: the role may not see it, for which it must be in `pg_monitor`."),
          ]
        ).form, \.database),
      .always("samples", .list(of: ShownSample.object.form), { ShownSample.all(of: $0.node.samples) }),
    ])

  private static let number = JSONTree.object([("type", "number")])
}

extension AdminCall {
  fileprivate func serverState() throws(Problem) -> Response {
    let database = try ServerStateService.database(by: caller, on: connection)
    guard let node = resources.nodeState?() else {
      throw Problem(.impossible, "The state of a node comes from a running server.")
    }
    return .json(.ok, ServerState(node: node, database: database), in: request.language)
  }
}
