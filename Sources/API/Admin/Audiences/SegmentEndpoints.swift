internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations

/// Endpoints for saved segments.
extension Endpoint {
  static let segments: [Endpoint] = [
    Endpoint(
      .post, "/v1/admin/segments", id: "createSegment", in: .audiences, "Save a segment",
      "An audience by conditions of at most 256 KiB, under a name. A message takes a copy of what it says.",
      by: .permission(.manageAudiences),
      body: Body(
        SegmentService.New.object,
        examples: [("loyal", #"{"appId":"com.example.bank","name":"Loyal","conditions":\#(conditions)}"#)]),
      answers: [Answer(201, "It is saved.", SegmentService.Entry.object, example: segment)],
      problems: [.unknownApp, .conflict, .impossible], handler: .whole(AdminCall.createSegment)),
    Endpoint(
      .get, "/v1/admin/segments", id: "listSegments", in: .audiences, "List the segments of an app", "Oldest first.",
      by: .permission(.viewMessages), parameters: [.ofApp(), .limit, .cursor],
      answers: [Answer(200, "A page.", ItemPage<SegmentService.Entry>.object, example: Answer.page(segment))],
      problems: [.invalidField, .unknownApp], handler: .whole(AdminCall.segments)),
    Endpoint(
      .post, "/v1/admin/segment-counts", id: "countConditions", in: .audiences, "Count what a segment would have",
      "Without saving it. Exact, at this moment.", by: .permission(.viewMessages), load: .heavy,
      body: Body(
        SegmentService.Draft.object, examples: [("draft", #"{"appId":"com.example.bank","conditions":\#(conditions)}"#)]
      ),
      answers: [Answer(200, "How many devices.", SegmentService.Count.object, example: #"{"devices":1204}"#)],
      problems: [.unknownApp, .impossible], handler: .whole(AdminCall.countConditions)),
    Endpoint(
      .get, "/v1/admin/segments/{segmentId}", id: "showSegment", in: .audiences, "Ask what a segment says",
      "As it was saved last.", by: .permission(.viewMessages),
      answers: [Answer(200, "The segment.", SegmentService.Entry.object, example: segment)],
      problems: [.unknownSegment], handler: .whole(AdminCall.segment)),
    Endpoint(
      .put, "/v1/admin/segments/{segmentId}", id: "changeSegment", in: .audiences, "Change a segment",
      "What is left out stays. Messages that were accepted are not changed.", by: .permission(.manageAudiences),
      body: Body(SegmentService.Change.object, examples: [("name", #"{"name":"Loyal customers"}"#)]),
      answers: [Answer(200, "The segment now.", SegmentService.Entry.object, example: segment)],
      problems: [.unknownSegment, .conflict, .impossible], handler: .whole(AdminCall.changeSegment)),
    Endpoint(
      .delete, "/v1/admin/segments/{segmentId}", id: "deleteSegment", in: .audiences, "Delete a segment",
      "Messages that were accepted are not changed.", by: .permission(.manageAudiences),
      answers: [Answer(204, "It is gone.")],
      problems: [.unknownSegment], handler: .whole(AdminCall.deleteSegment)),
    Endpoint(
      .get, "/v1/admin/segments/{segmentId}/count", id: "countSegment", in: .audiences,
      "Count the devices of a segment", "Exact, at this moment.", by: .permission(.viewMessages), load: .heavy,
      answers: [Answer(200, "How many devices.", SegmentService.Count.object, example: #"{"devices":1204}"#)],
      problems: [.unknownSegment], handler: .whole(AdminCall.countSegment)),
  ]

  /// The named schemas that these endpoints add to the OpenAPI document (`Schemas`), in the document's order.
  static let segmentSchemas: [JSONTree.Member] = [
    SegmentService.Entry.object.named, ItemPage<SegmentService.Entry>.object.named, SegmentService.New.object.named,
    SegmentService.Draft.object.named, SegmentService.Change.object.named, SegmentService.Count.object.named,
  ]

  private static let conditions = """
    {"platform":["ios"],"appVersion":{"from":"2.10","before":"4"},"language":["ko"],"seen":{"within":"P30D"},\
    "tags":{"any":["vip"],"none":["staff"]},"member":true,"not":{"consent":{"ad":false}}}
    """
  private static let segment = """
    {"segmentId":"3","name":"Loyal","conditions":\(conditions),"createdAt":"2026-11-21T09:30:00.123Z",\
    "updatedAt":"2026-11-21T09:30:00.123Z"}
    """
}

extension AdminCall {
  fileprivate func createSegment() throws(Problem) -> Response {
    .json(
      .created, try SegmentService.create(try body(SegmentService.New.object), by: caller, on: connection, now: now))
  }

  fileprivate func segments() throws(Problem) -> Response {
    .json(.ok, try SegmentService.list(try required("appId"), try page(), by: caller, on: connection))
  }

  fileprivate func segment() throws(Problem) -> Response {
    .json(.ok, try SegmentService.find(try segmentNumber(), by: caller, on: connection))
  }

  fileprivate func changeSegment() throws(Problem) -> Response {
    let change = try body(SegmentService.Change.object)
    return .json(
      .ok, try SegmentService.change(try segmentNumber(), change, by: caller, on: connection, now: now))
  }

  fileprivate func deleteSegment() throws(Problem) -> Response {
    try SegmentService.delete(try segmentNumber(), by: caller, on: connection)
    return .done
  }

  fileprivate func countSegment() throws(Problem) -> Response {
    .json(.ok, try SegmentService.count(try segmentNumber(), by: caller, on: connection, now: now))
  }

  fileprivate func countConditions() throws(Problem) -> Response {
    .json(.ok, try SegmentService.count(try body(SegmentService.Draft.object), by: caller, on: connection, now: now))
  }

  private func segmentNumber() throws(Problem) -> Int64 {
    guard let segment = SequenceNumber.parse(parameters["segmentId"]) else {
      throw Problem(.unknownSegment, "A segment's number is a whole number, as its creation answered it.")
    }
    return segment
  }
}
