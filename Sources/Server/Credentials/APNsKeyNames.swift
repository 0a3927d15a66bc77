internal import JSON

/// The part of an APNs credential that is stored unencrypted: `{"keyId":"…","teamId":"…"}`.
struct APNsKeyNames {
  var keyID = ""
  var teamID = ""

  init(json: String) throws(JSONError) {
    var names = self
    var reader = JSONReader(Array(json.utf8))
    try reader.readObject { (reader, key) throws(JSONError) in
      switch key {
      case "keyId": names.keyID = try reader.readString()
      case "teamId": names.teamID = try reader.readString()
      default: try reader.skip()
      }
    }
    self = names
  }

  private init() {}
}
