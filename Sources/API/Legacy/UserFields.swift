internal import Domain
internal import Operations
internal import Store

/// Reads the user's name, proof and phone number from a form; the phone number is sealed at once. The original protocol
/// has no field for a proof of the user. Apps send the proof in the additional field USERPROOF or, if they cannot add
/// fields, at the end of CNAME after U+001F. USERPROOF takes precedence.
extension NamedUser {
  init(_ clientUID: String, _ form: Form, of app: App, _ phones: PhoneNumberSeal) throws(LegacyRefusal) {
    let most = Domain.Limits.clientNameBytes + Self.mark.utf8.count + Domain.Limits.userProofBytes
    let given = try form.text("CNAME", upTo: most) ?? ""
    let parts = given.split(separator: Self.mark, maxSplits: 1, omittingEmptySubsequences: false)
    let name = parts.first.map(String.init) ?? ""
    guard name.utf8.count <= Domain.Limits.clientNameBytes else {
      throw LegacyRefusal(field: "CNAME", "is longer than \(Domain.Limits.clientNameBytes) bytes")
    }
    let proof =
      try form.text("USERPROOF", upTo: Domain.Limits.userProofBytes) ?? (parts.count > 1 ? String(parts[1]) : nil)
    self.init(clientUID: clientUID, name: name, proof: proof)
    isFromSDK = true
    let user = Users.Key(app: app.number, userKey: UserKey(clientUID: clientUID))
    phone = try form.text("PHONENUM", upTo: Domain.Limits.phoneBytes).map { phones.seal($0, of: user) }
  }

  /// The unit separator U+001F between name and proof, which occurs in no name.
  private static let mark = "\u{1F}"
}
