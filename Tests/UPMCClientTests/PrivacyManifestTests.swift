import Foundation
import TestSupport
import Testing

/// The client's privacy manifest, which Apple asks of a library that uses certain APIs.
@Suite struct PrivacyManifestTests {
  private struct Manifest: Decodable {
    struct API: Decodable {
      let category: String
      let reasons: [String]

      enum CodingKeys: String, CodingKey {
        case category = "NSPrivacyAccessedAPIType"
        case reasons = "NSPrivacyAccessedAPITypeReasons"
      }
    }

    let isTracking: Bool
    let apis: [API]

    enum CodingKeys: String, CodingKey {
      case isTracking = "NSPrivacyTracking"
      case apis = "NSPrivacyAccessedAPITypes"
    }
  }

  private static let path = "\(AppleTypeCheckTests.root)/Sources/UPMCClient/PrivacyInfo.xcprivacy"

  /// Apple's documentation: *Describing use of required reason API*.
  private static let namesByCategory: [String: Set<String>] = [
    "FileTimestamp": [
      "creationDate", "modificationDate", "fileModificationDate", "contentModificationDateKey", "creationDateKey",
      "getattrlist", "getattrlistbulk", "fgetattrlist", "getattrlistat", "stat", "fstat", "fstatat", "lstat",
    ],
    "SystemBootTime": ["systemUptime", "mach_absolute_time"],
    "DiskSpace": [
      "volumeAvailableCapacityKey", "volumeAvailableCapacityForImportantUsageKey",
      "volumeAvailableCapacityForOpportunisticUsageKey", "volumeTotalCapacityKey", "systemFreeSize", "systemSize",
      "statfs", "statvfs", "fstatfs", "fstatvfs",
    ],
    "ActiveKeyboards": ["activeInputModes"],
    "UserDefaults": ["UserDefaults"],
  ]

  /// Every word of the client's code outside of comments.
  private static func words() throws -> Set<String> {
    var words: Set<String> = []
    for module in ["UPMCClient", "UPMCClientURLSession", "UPMCPush", "UPMCPushExtension"] {
      let files = TemporaryDirectory.files(below: "\(AppleTypeCheckTests.root)/Sources/\(module)")
      for file in files where file.hasSuffix(".swift") {
        for line in try #require(TemporaryDirectory.read(file)).split(separator: "\n") {
          let code = line.drop { $0 == " " }
          guard !code.hasPrefix("//") else { continue }
          let found = code.split { !($0.isLetter || $0.isNumber || $0 == "_") }
          words.formUnion(found.map { String($0) })
        }
      }
    }
    return words
  }

  @Test func `the manifest names each API with a required reason that the client uses, and no other`() throws {
    let text = try #require(TemporaryDirectory.read(Self.path))
    let manifest = try PropertyListDecoder().decode(Manifest.self, from: Data(text.utf8))
    let words = try Self.words()
    let used = Self.namesByCategory.filter { !$0.value.isDisjoint(with: words) }.map(\.key)
    #expect(
      manifest.apis.map(\.category).sorted() == used.map { "NSPrivacyAccessedAPICategory\($0)" }.sorted())
    #expect(manifest.apis.allSatisfy { !$0.reasons.isEmpty } && !manifest.isTracking)
  }

  @Test func `the package hands the manifest to Apple's tools`() throws {
    let package = try #require(TemporaryDirectory.read(AppleTypeCheckTests.root + "/Package.swift"))
    #expect(package.contains(".copy(\"PrivacyInfo.xcprivacy\")"))
  }
}
