import Testing

@testable import JSON

/// An object that is described once is read, written and told from that one description.
@Suite struct JSONObjectTests {
  private struct Order: Equatable {
    var name = ""
    var count: Int16?
    var note: String?? = nil
    var words: [String] = []
    var isUrgent = false

    static let request = JSONObject(
      "NewOrder", from: Order(),
      [
        .required("name", .text(upTo: 4), \.name, "What it is.", missing: "is needed, for example tea"),
        .given("count", .number(1...300), \.count), .given("note", .orNull(.anyText), \.note),
        .given("words", .list(of: .words(["hot", "cold"]), 1...2), \.words), .given("urgent", .flag, \.isUrgent),
        .refused("id", "cannot be chosen"),
      ])
    static let answer = JSONObject<Order>(
      "Order",
      [
        .always("name", .anyText, \.name), .optional("count", .count, \.count, "How many."),
        .always("note", .orNull(.anyText), { $0.note ?? nil }), .always("words", .list(of: .anyText), \.words),
      ])
  }

  private func read(_ text: String) throws(JSONError) -> Order { try Order.request.read(Array(text.utf8)) }

  private func written(_ order: Order) -> String {
    var writer = JSONWriter()
    writer.object { (writer: inout JSONWriter) in Order.answer.write(order, to: &writer) }
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  @Test func `what is given is read, and what is not stays`() throws {
    #expect(try read(#"{"name":"tea"}"#) == Order(name: "tea"))
    let all = try read(#"{"urgent":true,"note":null,"words":["hot","cold"],"count":300,"name":"tea"}"#)
    #expect(all == Order(name: "tea", count: 300, note: .some(nil), words: ["hot", "cold"], isUrgent: true))
  }

  @Test(arguments: [
    (
      #"{"more":1,"count":301,"words":["warm","hot"],"urgent":"no"}"#,
      ["/more", "/count", "/words/0", "/urgent", "/name"]
    ),
    (#"{"words":["warm","hot","cool","cold","mild"],"name":"tea","count":{"a":[]}}"#, ["/words/2", "/count"]),
  ]) func `all that is wrong is told at once, in its order`(text: String, pointers: [String]) {
    let error = #expect(throws: JSONError.self) { try read(text) }
    #expect(error?.all.map(\.pointer) == pointers)
    #expect(error?.all.allSatisfy { $0.further.isEmpty } == true)
  }

  @Test func `no more errors are told than a person mends`() {
    let members = (0..<500).map { "\"m\($0)\":{}" }.joined(separator: ",")
    let error = #expect(throws: JSONError.self) { try read("{\(members)}") }
    #expect(error?.all.count == JSON.Limits.errors)
  }

  @Test(arguments: [#"{"name":"#, #"{"name":"tea""#, #"{"more":[1,"#, #"{"name":7,"count":x}"#, #"{"count":01}"#])
  func `what is no JSON is malformed, wherever it ends`(text: String) {
    #expect(#expect(throws: JSONError.self) { try read(text) }?.isMalformed == true)
  }

  @Test(arguments: [
    ("{}", "/name: is needed, for example tea"), (#"{"name":""}"#, "/name: must not be empty"),
    (#"{"name":"coffee"}"#, "/name: is longer than 4 bytes"),
    (#"{"name":"tea","more":1}"#, "/more: is not a known field"),
    (#"{"name":"tea","id":{"a":1}}"#, "/id: cannot be chosen"),
    (#"{"name":"tea","count":301}"#, "/count: must be a whole number from 1 to 300"),
    (#"{"name":"tea","words":["warm"]}"#, "/words/0: must be one of hot, cold"),
    (#"{"name":"tea","words":[]}"#, "/words: must have 1 at least"),
    (#"{"name":"tea","words":["hot","hot","hot"]}"#, "/words/2: is one more than the 2 that there may be"),
    (#"{"name":"tea"} {}"#, "more follows after the value"),
  ]) func `what is wrong is refused with its place`(text: String, objection: String) {
    let error = #expect(throws: JSONError.self) { try read(text) }
    if objection.hasPrefix("/") {
      #expect(error?.description == objection)
    } else {
      #expect(error?.pointer == "")
    }
  }

  @Test func `an answer has its members in order, without those that there are not`() {
    #expect(written(Order(name: "tea")) == #"{"name":"tea","note":null,"words":[]}"#)
    #expect(
      written(Order(name: "tea", count: 2, note: "milk", words: ["hot"]))
        == #"{"name":"tea","count":2,"note":"milk","words":["hot"]}"#)
  }

  @Test func `the schema tells what is needed, and that a request is closed`() {
    let request = Order.request.schema
    #expect(request["required"]?.elements.compactMap(\.string) == ["name"])
    #expect(request["additionalProperties"]?.string == "false")
    #expect(request["properties"]?.members.map(\.name) == ["name", "count", "note", "words", "urgent"])
    #expect(request["properties"]?["name"]?["description"]?.string == "What it is.")
    #expect(request["properties"]?["words"]?["maxItems"]?.string == "2")
    let answer = Order.answer.schema
    #expect(answer["required"]?.elements.compactMap(\.string) == ["name", "note", "words"])
    #expect(answer["additionalProperties"] == nil)
    #expect(Order.answer.form.schema["$ref"]?.string == "#/components/schemas/Order")
  }

  @Test func `members of a part are those of the whole`() {
    struct Shelf { let order: Order }
    let fields: [JSONField<Order>] = [.always("name", .anyText, \.name)]
    let shelf = JSONObject<Shelf>("Shelf", isNamed: false, fields.map { $0.of(\.order) })
    var writer = JSONWriter()
    writer.object { writer in shelf.write(Shelf(order: Order(name: "tea")), to: &writer) }
    #expect(String(decoding: writer.bytes, as: UTF8.self) == #"{"name":"tea"}"#)
    #expect(shelf.form.schema["type"]?.string == "object")
  }
}
