import Domain
import Store
import Testing

@testable import Operations

/// Files of registrations: what their columns and lines may be.
@Suite struct InstalledFileTests {
  private static func bring(
    _ world: BatchWorld, _ text: String, _ change: (inout InstalledBase.Options) -> Void = { _ in }
  ) throws -> (report: InstalledBase.Report, faults: [InstalledFault]) {
    try InstalledBaseTests.bring(world, text, change)
  }

  @Test(arguments: [
    ("xyz,APNS,d,,", "PSID", "is no APNs device token in hex"), (",APNS,d,,", "PSID", "is empty"),
    ("aa,WPNS,d,,", "PNSID", SDKWords.webPush), ("aa,XYZ,d,,", "PNSID", "must be APNS or FCM"),
    ("NULL,APNS,d,,", "PSID", "is empty"), ("aa,APNS,d,TEST,", "APNS_MODE", "must be DEV, REAL or UNKNOWN"),
    ("aa,APNS,d,,\(String(repeating: "k", count: 257))", "CUID", "is longer than 256 bytes"),
    ("aa,APNS,\(String(repeating: "d", count: 257)),,", "DEVICE_ID", "is longer than 256 bytes"),
    ("aa,APNS,\"d\"x,,", "", "has text behind a closing quote"),
    ("aa,APNS,d,,kim,one too many", "PSID", "is in a line that has more fields than the header"),
  ])
  func `a wrong line is told with its column and what to do, and costs only itself`(
    line: String, column: String, what: String
  ) throws {
    let world = try BatchWorld()
    let done = try Self.bring(world, "PSID,PNSID,DEVICE_ID,APNS_MODE,CUID\naa01,APNS,a,,\n\(line)\naa02,APNS,b,,\n")
    #expect(done.faults.map(\.line) == [3] && done.faults[0].column == column && done.faults[0].what == what, "\(done)")
    #expect(done.faults[0].remedy.isEmpty == false && done.report.wrong == 1 && done.report.new == 2)
    #expect(done.report.reasons == [InstalledBase.Report.Reason(column: column, what: what): 1])
  }

  @Test func `columns have the names of the wire or of the API, or those that the operator says`() throws {
    let world = try BatchWorld()
    let api = "psid,pnsId,deviceId,environment,clientUid,platform,nightAd\naa01,apns,d1,sandbox,kim,ios,1\n"
    #expect(try Self.bring(world, api).report.new == 1)
    let record = try #require(try world.record("d1"))
    #expect(record.environment == .sandbox && record.attributes.platform == "ios")
    #expect(record.consents.nightAd?.isGiven == true)
    let theirs = "No,Token,User No,Memo,CUID\n1,aa02,lee,x,wrong\n"
    let done = try Self.bring(world, theirs) {
      $0.columns = [("token", "PSID"), ("USER_NO", "cuid"), ("CUID", "")]
    }
    #expect(done.report.new == 1)
    // Without a DEVICE_ID the token names the device, as with the SDK.
    #expect(try world.record("aa02")?.userKey == UserKey(clientUID: "lee"))
  }

  @Test(arguments: [
    ("CUID,DEVICE_ID\n", "", ""), ("PSID,psid\n", "", ""), ("PSID,TOKEN\n", "TOKEN", "PSID"),
    ("PSID,CUID\n", "NOBODY", "CUID"), ("PSID,X\n", "X", "SHOE_SIZE"), ("\"PSID\n", "", ""),
  ])
  func `columns that cannot be understood refuse the file`(text: String, theirs: String, ours: String) throws {
    let world = try BatchWorld()
    #expect(throws: Problem.self) {
      try Self.bring(world, text + "aa01,x\n") { if !theirs.isEmpty { $0.columns = [(theirs, ours)] } }
    }
    #expect(try world.count("SELECT count(*) FROM devices") == 0)
  }

  @Test func `a file without names of columns does not have its first device told`() throws {
    let world = try BatchWorld()
    for line in ["0123456789abcdef,kim,010-1234-5678\n", "\(String(repeating: "ab", count: 32)),kim\n"] {
      do {
        _ = try Self.bring(world, line)
        Issue.record("a device was taken for names")
      } catch let problem as Problem {
        #expect(!problem.detail.contains("kim") && problem.detail.contains("looks like a device"), "\(problem)")
      }
    }
  }

  @Test func `a line that does not come in does not keep a later one about its device out`() throws {
    let world = try BatchWorld()
    let done = try Self.bring(world, "PSID,DEVICE_ID,GROUPSEQ\naa01,d1,901\naa01,d1,\n")
    #expect(done.report.new == 1 && done.faults.map(\.column) == ["GROUPSEQ"])
  }

  @Test func `lines of other apps are passed over, words for nothing are nothing, and a mark of clients goes`() throws {
    let world = try BatchWorld()
    let text =
      "APP_ID,PSID,CUID,TIME_ZONE\ncom.example.bank,aa01,TMP0kim,Asia/Seoul\ncom.example.shop,zz,lee,\n"
      + "com.example.bank,aa02,NULL,Nowhere/Land\ncom.example.bank,aa03,GUEST,\\N\n"
    let done = try Self.bring(world, text)
    #expect(done.report.otherApps == 1 && done.report.new == 3 && done.faults == [])
    #expect(try world.record("aa01")?.userKey == UserKey(clientUID: "kim"))
    #expect(try world.record("aa01")?.attributes.timeZone == "Asia/Seoul")
    #expect(try world.record("aa02")?.userKey.isGuest == true && world.record("aa02")?.attributes.timeZone == "")
    #expect(try world.record("aa03")?.userKey.isGuest == true)
  }

  @Test func `a group that the app does not have is told, and said to be another one it is found`() throws {
    let world = try BatchWorld()
    let group = try world.connection.run(Groups.create(app: world.app.number, name: "news", parent: nil))
    let text = "PSID,CUID,GROUPSEQ\naa01,kim,\"901;902\"\n"
    #expect(try Self.bring(world, text).faults.map(\.column) == ["GROUPSEQ"])
    #expect(try world.count("SELECT count(*) FROM devices") == 0)
    #expect(try Self.bring(world, text, { $0.groups = [901: group, 902: group] }).report.new == 1)
    #expect(try world.count("SELECT count(*) FROM group_members") == 1)
    #expect(throws: Problem.self) { try Self.bring(world, text) { $0.groups = [901: 77] } }
  }

  @Test func `a file as Korean Windows writes it is understood, in parts of any size`() throws {
    let world = try BatchWorld()
    var bytes = Array("PSID,CUID,CNAME\r\n".utf8)
    // "김" and a syllable that only CP949 has, thirty thousand times: more than one part.
    for number in 0..<30_000 {
      bytes += Array("\(String(0x10_0000 + number, radix: 16).uppercased()),user\(number),".utf8)
      bytes += [0xB1, 0xE8, 0x8C, 0x63, 0x0D, 0x0A]
    }
    let done = try InstalledBaseTests.bring(world, bytes)
    #expect(done.report.new == 30_000 && done.faults == [], "\(done.report)")
    #expect(try world.count("SELECT count(*) FROM users WHERE name = '김똠'") == 30_000)
  }

  @Test(arguments: [("UTF-8", [0xEA, 0xB9, 0x80]), ("CP949", [0xB1, 0xE8])] as [(String, [UInt8])])
  func `one line in no encoding costs itself, and nobody is called by wrong letters`(encoding: String, name: [UInt8])
    throws
  {
    let world = try BatchWorld()
    var bytes = Array("PSID,CUID,CNAME\n".utf8)
    for number in 0..<100 {
      bytes +=
        Array("\(String(0x1000 + number, radix: 16)),user\(number),".utf8) + (number == 40 ? [0xFF] : name) + [0x0A]
    }
    let done = try InstalledBaseTests.bring(world, bytes)
    #expect(done.report.new == 99 && done.faults.map(\.line) == [42], "\(done)")
    #expect(done.faults.first?.what.contains("UTF-8 or CP949") == true && done.faults.first?.remedy.isEmpty == false)
    #expect(try world.count("SELECT count(*) FROM users WHERE name = '김'") == 99)
  }

  @Test func `lines are counted, and the first about a device counts, over a file of many parts`() throws {
    let world = try BatchWorld()
    let memo = String(repeating: "m", count: 400)
    var text = "PSID,CUID,MEMO\n"
    for number in 0..<8_000 { text += "\(String(0x10_0000 + number, radix: 16)),user\(number),\"\(memo)\n\"\n" }
    text += "x y,lee,\n100007,kim,\n"
    let done = try Self.bring(world, text) { $0.columns = [("MEMO", "")] }
    #expect(done.report.lines == 8_002 && done.report.new == 8_000 && done.report.wrong == 2)
    #expect(done.faults.map(\.line) == [16_002, 16_003], "\(done.faults)")
    #expect(try world.count("SELECT count(*) FROM devices d JOIN users u USING (user_key)") == 8_000)
  }
}
