import Crypto
import Domain
import Testing

@Suite struct ServiceAccountTests {
  private func mistake(_ json: String) -> String? {
    do throws(ServiceAccount.Mistake) {
      _ = try ServiceAccount(json: json)
      return nil
    } catch {
      return error.description
    }
  }

  private func file(_ change: [String: String?] = [:], key: String = "x") -> String {
    var members: [String: String] = [
      "type": "service_account", "project_id": "demo", "private_key_id": "k", "client_email": "a@b", "private_key": key,
      "token_uri": "https://oauth2.googleapis.com/token",
    ]
    for (name, value) in change { members[name] = value }
    return "{" + members.map { #""\#($0.key)":"\#($0.value)""# }.joined(separator: ",") + "}"
  }

  @Test func `each mistake is named`() {
    #expect(mistake("not json")?.contains("must be the JSON file of a service account") == true)
    #expect(mistake("[]")?.contains("must be the JSON file") == true)
    #expect(mistake(file(["type": "authorized_user"]))?.contains("authorized_user") == true)
    for name in ["project_id", "private_key_id", "client_email"] {
      #expect(mistake(file([name: nil]))?.contains("\"\(name)\" is missing") == true, "\(name)")
    }
    #expect(mistake(file())?.contains("no RSA key") == true)
    let p256 = P256.Signing.PrivateKey().pemRepresentation.split(separator: "\n").joined(separator: "\\n")
    #expect(mistake(file(key: p256))?.contains("no RSA key") == true)
    #expect(mistake(file(["project_id": "a/b"]))?.contains("no project id") == true)
  }

  @Test func `an access token is never asked for in the clear, but on this machine`() {
    #expect(mistake(file(["token_uri": "http://oauth2.example.com/token"]))?.contains("must be https") == true)
    #expect(mistake(file(["token_uri": "http://127.0.0.1:9000/token"]))?.contains("no RSA key") == true)
    #expect(mistake(file(["token_uri": "http://127.0.0.1.evil.com/token"]))?.contains("must be https") == true)
  }
}
