import Testing

/// Puts what the paths of the document name into them: things that are made for each call anew.
enum SavedExamples {
  static func fill(_ target: String, in world: World, _ count: Int) throws -> String {
    var target = target
    for kind in ["template", "draft", "sender"] where target.contains("{\(kind)Id}") {
      let sender = kind == "sender" ? #","sender":"S\#(count)""# : ""
      let made = try world.client.call(
        "POST", "/v1/admin/\(kind)s", bearer: world.apiKey,
        #"{"appId":"\#(World.appID)","name":"n"\#(sender),"message":{"alert":"x"}}"#)
      target = target.replacing("{\(kind)Id}", with: try #require(made.string("\(kind)Id")))
    }
    if target.contains("{importId}") {
      let made = try world.client.call(
        "POST", "/v1/admin/imports", bearer: world.apiKey, #"{"appId":"\#(World.appID)","kind":"users"}"#)
      target = target.replacing("{importId}", with: try #require(made.string("importId")))
      target = target.replacing("{part}", with: "1")
    }
    return target
  }
}
