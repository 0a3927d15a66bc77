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
    let p256 = P256.PrivateKey().pem.split(separator: "\n").joined(separator: "\\n")
    #expect(mistake(file(key: p256))?.contains("no RSA key") == true)
    #expect(mistake(file(["project_id": "a/b"]))?.contains("no project id") == true)
  }

  @Test(arguments: [
    "http://oauth2.example.com/token", "https://oauth2.example.com/token", "http://127.0.0.1:9000/internal/shutdown",
    "http://localhost/token", "http://[::1]:80/token", "https://169.254.169.254/", "https://10.0.0.1/token",
    "https://oauth2.googleapis.com/token?x", "https://oauth2.googleapis.com:444/token",
    "https://oauth2.googleapis.com@evil.example/token", "https://oauth2.googleapis.com.evil.example/token",
    "HTTPS://OAUTH2.GOOGLEAPIS.COM/token", "http://oauth2.googleapis.com/token", "", "x",
  ])
  func `a file that names another address for its tokens than Google's is refused, in words`(_ address: String) {
    let said = mistake(file(["token_uri": address]))
    #expect(said?.contains("as its token_uri") == true && said?.contains("UPMC_FCM_TOKEN_URL") == true, "\(said ?? "")")
  }

  @Test func `Google's own, its former ones, none at all, and the operator's are taken, and only one is ever called`() {
    for address in [
      TokenAddress.google, "https://accounts.google.com/o/oauth2/token", "https://www.googleapis.com/oauth2/v4/token",
      nil,
    ] {
      #expect(mistake(file(["token_uri": address]))?.contains("no RSA key") == true, "\(address ?? "none")")
    }
    let ours = TokenAddress(configured: "http://simulator:8081/token")
    #expect(ours.allows("http://simulator:8081/token") && ours.allows(TokenAddress.google))
    #expect(!ours.allows("http://simulator:8081/other") && ours.url == "http://simulator:8081/token")
    #expect(TokenAddress().url == TokenAddress.google)
  }
}
