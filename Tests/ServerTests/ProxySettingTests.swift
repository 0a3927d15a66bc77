import Foundation
import TestSupport
import Testing

@testable import Server

/// The variables about the way out.
@Suite struct ProxySettingTests {
  private func proxy(_ environment: [String: String]) throws -> String? {
    try Configuration(environment: environment).proxy.map { "\($0)" }
  }

  private func mistake(_ environment: [String: String]) throws -> String {
    try #require(throws: Configuration.Mistake.self) { try Configuration(environment: environment) }.description
  }

  @Test func `there is a proxy where one is named, and none where the variable is empty`() throws {
    #expect(try proxy(["UPMC_PROXY_URL": "http://user:pass@proxy.bank.example:3128"]) == "proxy.bank.example:3128")
    #expect(try proxy([:]) == nil)
    let empty = [
      "UPMC_PROXY_URL": "", "UPMC_PROXY_URL_FILE": "", "UPMC_NO_PROXY": "", "UPMC_PROXY_RESOLVES": "",
    ]
    #expect(try proxy(empty) == nil)
    #expect(try proxy(["UPMC_NO_PROXY": ".bank.example,10.0.0.0/8"]) == nil)
  }

  @Test func `an address with its password may stand in a file`() throws {
    let directory = TemporaryDirectory.make()
    defer { TemporaryDirectory.remove(directory) }
    TemporaryDirectory.write(directory + "/proxy", "http://user:sesame@proxy:3128\n")
    #expect(try proxy(["UPMC_PROXY_URL_FILE": directory + "/proxy"]) == "proxy:3128")
    TemporaryDirectory.write(directory + "/bad", "https://user:sesame@proxy:3128\n")
    let bad = try mistake(["UPMC_PROXY_URL_FILE": directory + "/bad"])
    #expect(bad.contains(directory + "/bad, does not begin with http://") && !bad.contains("sesame"), "\(bad)")
    TemporaryDirectory.write(directory + "/empty", "\n")
    let empty = try mistake(["UPMC_PROXY_URL_FILE": directory + "/empty"])
    #expect(empty.contains(directory + "/empty, is no address. Write http://"), "\(empty)")
    let absent = try mistake(["UPMC_PROXY_URL_FILE": directory + "/absent"])
    #expect(absent.contains("is not there") && absent.contains("the proxy's address"), "\(absent)")
    let both = try mistake(["UPMC_PROXY_URL_FILE": directory + "/proxy", "UPMC_PROXY_URL": "http://proxy:1"])
    #expect(both.contains("both set"), "\(both)")
  }

  @Test(arguments: [
    (["UPMC_PROXY_URL": "socks5://user:sesame@proxy:1080"], "UPMC_PROXY_URL does not begin with http://"),
    (["UPMC_PROXY_URL": "proxy:3128"], "UPMC_PROXY_URL is no address. Write http://"),
    (["UPMC_PROXY_URL": "http://user:se/same@proxy:3128"], "%2F"),
    (["UPMC_PROXY_URL": "http://user:sesame@proxy"], "UPMC_PROXY_URL names no host and port"),
    (["UPMC_NO_PROXY": "bank.example,10.0.0.0/33"], "10.0.0.0/33 is no host"),
    (["UPMC_PROXY_RESOLVES": "yes"], "neither on nor off"),
  ])
  func `what cannot be used stops the start with one sentence, which shows no password`(
    _ environment: [String: String], words: String
  ) throws {
    let text = try mistake(environment)
    #expect(text.contains(words) && !text.contains("sesame") && text.hasSuffix("."), "\(text)")
  }

  @Test func `a demonstration has its network on this machine, whatever the proxy`() throws {
    let directory = TemporaryDirectory.make()
    defer { TemporaryDirectory.remove(directory) }
    var told = try Configuration(environment: ["UPMC_DATA_DIR": directory, "UPMC_PROXY_URL": "http://proxy:3128"])
    told.proxy = nil
    try DemoSettings.save(told)
    let looked = try #require(DemoSettings.load(directory))
    #expect(looked["UPMC_PROXY_URL"] == "" && looked["UPMC_PROXY_URL_FILE"] == "")
  }
}
