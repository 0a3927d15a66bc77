import Testing

@testable import Simulator

@Suite struct `Payload keys` {
  private func isGood(_ body: String, _ type: PushType) -> Bool { PayloadKeys.isWellFormed(Array(body.utf8), type) }

  @Test(arguments: [
    #""alert":"hi""#, #""alert":{"title":"t","subtitle":"s","body":"b","launch-image":"l"}"#,
    #""alert":{"loc-key":"k","loc-args":["a"],"title-loc-key":"k","title-loc-args":[],"subtitle-loc-key":"k","subtitle-loc-args":["b"]}"#,
    #""badge":0"#, #""badge":7,"content-available":1"#, #""sound":"default""#,
    #""alert":"hi","sound":{"critical":1,"name":"a","volume":0.5}"#, #""alert":"hi","mutable-content":1"#,
    #""alert":"hi","thread-id":"t","category":"c","target-content-id":"w","filter-criteria":"f""#,
    #""alert":"hi","interruption-level":"critical","relevance-score":1"#,
  ])
  func `what Apple documents is taken`(aps: String) {
    #expect(isGood("{\"aps\":{\(aps)},\"mine\":[1]}", .alert))
  }

  @Test(arguments: [
    "", #""content-available":1"#, #""alert":5"#, #""alert":{"body":1}"#, #""alert":{"color":"red"}"#,
    #""alert":{"loc-args":"a"}"#, #""alert":{"loc-args":[1]}"#, #""badge":-1"#, #""badge":"1""#, #""badge":1.5"#,
    #""alert":"hi","sound":1"#, #""alert":"hi","sound":{"critical":true}"#, #""alert":"hi","sound":{"volume":2}"#,
    #""alert":"hi","thread-id":1"#, #""alert":"hi","mutable-content":true"#, #""badge":1,"mutable-content":1"#,
    #""alert":"hi","content-available":0"#, #""alert":"hi","interruption-level":"loud""#,
    #""alert":"hi","relevance-score":1.1"#, #""alert":"hi","relevance-score":"1""#, #""alert":"hi","event":"start""#,
    #""alert":"hi","mine":1"#,
  ])
  func `what Apple would drop or misread is refused`(aps: String) {
    #expect(!isGood("{\"aps\":{\(aps)}}", .alert))
  }

  @Test(arguments: [
    (PushType.background, #"{"aps":{"content-available":1},"x":1}"#, true),
    (.background, #"{"aps":{"content-available":1,"badge":1}}"#, false), (.background, #"{"aps":{}}"#, false),
    (.voip, #"{"aps":{}}"#, true), (.voip, #"{"x":1}"#, false), (.pushtotalk, #"{"aps":{},"mps":{}}"#, true),
    (.widgets, #"{"aps":{"content-changed":true}}"#, true), (.controls, #"{"aps":{"content-changed":1}}"#, false),
    (.widgets, #"{"aps":{"content-changed":true,"alert":"hi"}}"#, false),
    (.fileprovider, #"{"container-identifier":"c","domain":"d"}"#, true), (.fileprovider, #"{"aps":{}}"#, false),
    (.mdm, #"{"mdm":"magic"}"#, true), (.mdm, #"{"mdm":"magic","aps":{}}"#, false), (.mdm, #"{"mdm":1}"#, false),
    (.liveactivity, #"{"aps":{"timestamp":1,"event":"update","content-state":{}}}"#, true),
    (.liveactivity, #"{"aps":{"timestamp":1,"event":"update"}}"#, false),
    (.liveactivity, #"{"aps":{"timestamp":1,"event":"end"}}"#, true),
    (.liveactivity, #"{"aps":{"event":"end"}}"#, false),
    (.liveactivity, #"{"aps":{"timestamp":1,"event":"stop"}}"#, false),
    (
      .liveactivity,
      #"{"aps":{"timestamp":1,"event":"start","content-state":{},"attributes-type":"T","attributes":{},"alert":{"title":{"loc-key":"k"},"body":"b","sound":"s"}}}"#,
      true
    ),
    (
      .liveactivity,
      #"{"aps":{"timestamp":1,"event":"start","content-state":{},"attributes-type":"T","attributes":{}}}"#, false
    ),
    (.liveactivity, #"{"aps":{"timestamp":1,"event":"update","content-state":{},"attributes":{}}}"#, false),
    (.liveactivity, #"{"aps":{"timestamp":1,"event":"update","content-state":{},"relevance-score":100}}"#, true),
  ])
  func `each push type has its own form`(type: PushType, body: String, good: Bool) {
    #expect(isGood(body, type) == good)
  }
}
