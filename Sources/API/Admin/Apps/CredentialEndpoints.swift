internal import Domain
internal import FoundationEssentials
internal import HTTPServer
internal import JSON
internal import Operations

/// What opens push networks for apps: goes in, is never given out again.
extension AdminCall {
  /// `GET /v1/admin/credentials?appId=&limit=&cursor=`.
  func credentials() throws(Problem) -> Response {
    .json(
      .ok,
      try Administration.credentials(of: query["appId"], try page(), by: caller, on: connection))
  }

  /// `PUT /v1/admin/credentials`: `{"appId","apnsKey":{"pem","keyId","teamId"}}`,
  /// `{"appId","apnsCertificate":{"file","passphrase"?}}`, the file in base64, or
  /// `{"appId","fcmServiceAccount":{"json","style"?,"platforms"?}}`, the account's file as a text.
  func setCredential() throws(Problem) -> Response {
    var appID: String?
    var key: Administration.APNsKey?
    var certificate: Administration.APNsCertificate?
    var account: Administration.FCMServiceAccount?
    try readObject { (reader, name) throws(JSONError) in
      switch name {
      case "appId": appID = try reader.readText(upTo: Domain.Limits.appIDBytes)
      case "apnsKey": key = try Self.readKey(&reader)
      case "apnsCertificate": certificate = try Self.readCertificate(&reader)
      case "fcmServiceAccount": account = try Self.readAccount(&reader)
      default: throw .unknownField
      }
    }
    let app = try Problem.need(appID, "appId")
    guard let master = resources.master else {
      throw Problem(.internalError, "This server has no master key to seal credentials with.")
    }
    switch (key, certificate, account) {
    case (let key?, nil, nil):
      return .json(
        .ok, try Administration.setCredential(key, of: app, master: master, by: caller, on: connection))
    case (nil, let certificate?, nil):
      return .json(
        .ok,
        try Administration.setCredential(
          certificate, of: app, master: master, by: caller, on: connection, clock: resources.clock))
    case (nil, nil, let account?):
      return .json(
        .ok,
        try Administration.setCredential(
          account, of: app, master: master, tokens: resources.tokens, by: caller, on: connection))
    default: throw Problem(.impossible, "Give one of apnsKey, apnsCertificate and fcmServiceAccount.")
    }
  }

  /// `DELETE /v1/admin/credentials?appId=&pnsId=`.
  func deleteCredential() throws(Problem) -> Response {
    let appID = try required("appId")
    guard let network = PushNetwork(pnsID: try required("pnsId")) else {
      throw Problem(
        .invalidField, "pnsId must be one of \(PushNetwork.allCases.map(\.pnsID).joined(separator: ", ")).")
    }
    try Administration.deleteCredential(of: appID, network, by: caller, on: connection)
    return .done
  }

  private static func readKey(_ reader: inout JSONReader) throws(JSONError) -> Administration.APNsKey {
    var (pem, keyID, teamID) = ("", "", "")
    try reader.readObject { (reader, name) throws(JSONError) in
      switch name {
      case "pem": pem = try reader.readText(upTo: Operations.Limits.credentialBytes)
      case "keyId": keyID = try reader.readString()
      case "teamId": teamID = try reader.readString()
      default: throw .unknownField
      }
    }
    return Administration.APNsKey(pem: pem, keyID: keyID, teamID: teamID)
  }

  private static func readAccount(_ reader: inout JSONReader) throws(JSONError) -> Administration.FCMServiceAccount {
    var json = ""
    var settings = Administration.FCMSettings()
    try reader.readObject { (reader, name) throws(JSONError) in
      switch name {
      case "json": json = try reader.readText(upTo: Operations.Limits.credentialBytes)
      case "style": settings.style = try reader.readString()
      case "platforms": settings.platforms = try reader.readString()
      default: throw .unknownField
      }
    }
    return Administration.FCMServiceAccount(json: json, settings: settings)
  }

  private static func readCertificate(
    _ reader: inout JSONReader
  ) throws(JSONError) -> Administration.APNsCertificate {
    var file: [UInt8] = []
    var passphrase = ""
    try reader.readObject { (reader, name) throws(JSONError) in
      switch name {
      case "file":
        guard let data = Data(base64Encoded: try reader.readString(), options: .ignoreUnknownCharacters) else {
          throw JSONError("must be the file in base64")
        }
        file = Array(data)
      case "passphrase": passphrase = try reader.readString()
      default: throw .unknownField
      }
    }
    return Administration.APNsCertificate(file: file, passphrase: passphrase)
  }
}
