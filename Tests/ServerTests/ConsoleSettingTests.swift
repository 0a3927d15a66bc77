import Operations
import Reactor
import TestSupport
import Testing

@testable import Server

/// The variables of signing in to the console.
@Suite struct ConsoleSettingTests {
  private static let provider = [
    "UPMC_OIDC_ISSUER": "https://login.example.com/staff", "UPMC_OIDC_CLIENT_ID": "upmc",
    "UPMC_OIDC_REDIRECT_URL": "https://push.example.com/", "UPMC_OIDC_ROLES": "cn=admins=admin,push-staff=operator",
  ]

  private func mistake(_ environment: [String: String]) -> String {
    do {
      _ = try Configuration(environment: environment)
      return ""
    } catch {
      return error.description
    }
  }

  @Test func `addresses, roles and passwords are as they are set`() throws {
    let none = try Configuration(environment: [:])
    #expect(none.console.admits(nil) && none.console.secondFactor.isEmpty && none.console.takesPasswords)
    // Only tests hash passwords with fewer.
    #expect(none.console.passwordRounds == 32_768)
    #expect(none.openID == nil)
    let set = try Configuration(environment: [
      "UPMC_CONSOLE_ADDRESSES": "10.0.0.0/8, 2001:db8::1", "UPMC_SECOND_FACTOR": "admin, operator",
    ])
    #expect(set.console.admits(IPAddress("10.1.2.3")) && set.console.admits(IPAddress("2001:db8::1")))
    #expect(!set.console.admits(IPAddress("11.1.2.3")) && !set.console.admits(nil))
    #expect(set.console.secondFactor == [.admin, .operator])
    #expect(
      try Configuration(environment: ["UPMC_SECOND_FACTOR": "all"]).console.secondFactor == Set(Role.allCases))
  }

  @Test func `a provider is described by its variables, its secret by a file`() throws {
    let directory = TemporaryDirectory.make()
    defer { TemporaryDirectory.remove(directory) }
    TemporaryDirectory.write(directory + "/secret", "s3cret\n")
    let variables = Self.provider.merging([
      "UPMC_OIDC_CLIENT_SECRET_FILE": directory + "/secret", "UPMC_OIDC_APP_CLAIM": "apps",
      "UPMC_CONSOLE_PASSWORDS": "off",
    ]) { $1 }
    let configuration = try Configuration(environment: variables)
    let settings = try #require(configuration.openID)
    #expect(settings.clientSecret == "s3cret" && settings.label == "login.example.com")
    #expect(settings.roles == ["cn=admins": .admin, "push-staff": .operator])
    #expect(settings.appClaim == "apps" && settings.roleClaim == "groups" && settings.loginClaim == "email")
    #expect(!configuration.console.takesPasswords)
  }

  @Test(
    arguments: [
      (["UPMC_SECOND_FACTOR": "boss"], "boss is no role"),
      (["UPMC_CONSOLE_ADDRESSES": "10.0.0"], "10.0.0 is no address"),
      (["UPMC_CONSOLE_PASSWORDS": "off"], "nobody could sign in"),
      (["UPMC_CONSOLE_PASSWORDS": "no"], "neither on nor off"),
      (["UPMC_OIDC_CLIENT_ID": "upmc"], "UPMC_OIDC_ISSUER is missing"),
      (["UPMC_OIDC_ISSUER": "http://login.example.com"], "is no issuer"),
      (["UPMC_OIDC_ISSUER": "https://login.example.com"], "UPMC_OIDC_CLIENT_ID is missing"),
      (
        ["UPMC_OIDC_ISSUER": "https://login.example.com", "UPMC_OIDC_CLIENT_ID": "upmc"], "UPMC_OIDC_ROLES is missing"
      ),
      (["UPMC_OIDC_ROLES": "staff"], "staff is no pair"), (["UPMC_OIDC_ROLES": "staff=boss"], "boss is no role"),
      (provider.merging(["UPMC_OIDC_REDIRECT_URL": "http://push.example.com/"]) { $1 }, "is no address of the console"),
      (provider.merging(["UPMC_OIDC_CLIENT_SECRET_FILE": "/nowhere"]) { $1 }, "UPMC_OIDC_CLIENT_SECRET_FILE"),
    ] as [([String: String], String)])
  func `a mistake stops the start with a sentence`(_ environment: [String: String], _ reason: String) {
    #expect(mistake(environment).contains(reason), "\(mistake(environment))")
  }

  @Test func `without a redirect address the public one is used`() throws {
    var variables = Self.provider
    variables["UPMC_OIDC_REDIRECT_URL"] = nil
    #expect(mistake(variables).contains("UPMC_OIDC_REDIRECT_URL is missing"))
    variables["UPMC_PUBLIC_URL"] = "https://push.example.com"
    #expect(try Configuration(environment: variables).openID?.redirectURL == "https://push.example.com/")
  }
}
