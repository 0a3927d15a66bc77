import JSON
import Domain
import Foundation
import HTTPServer
import Testing

@testable import API

/// The document and the code know the same problem codes.
@Suite struct CodeTests {
  /// Codes that belong to no operation: there is none at that path, or not for that method; or only the SDK's forms can
  /// be so mistaken.
  private static let ofNoOperation: Set<Problem.Code> = [.notFound, .methodNotAllowed, .userMismatch]

  @Test func `every code can be met somewhere in the document`() {
    let met = Set(Endpoint.all.flatMap(\.problems)).union(Self.ofNoOperation)
    let unmet = Problem.Code.allCases.filter { !met.contains($0) && Self.occurrences(of: $0) > 0 }
    #expect(unmet.isEmpty, "No operation of the API's document names \(unmet): add them where they may be answered")
  }

  @Test func `every code that the document promises is given somewhere`() {
    let promised = Set(Endpoint.all.flatMap(\.problems))
    let never = promised.filter { Self.occurrences(of: $0) == 0 }
    #expect(never.isEmpty, "The API's document promises \(never), but no source gives them")
  }

  @Test func `the schema of problems lists every code once`() {
    let listed = Document.make()["components"]?["schemas"]?["Problem"]?["properties"]?["type"]?["enum"]?.elements
    let codes = (listed ?? []).compactMap(\.string)
    #expect(Set(codes).count == codes.count)
    #expect(Set(codes) == Set(Problem.Code.allCases.map(\.rawValue) + EngineProblem.allCases.map(\.type)))
  }

  @Test func `engine and API give one code with one status`() {
    for problem in EngineProblem.allCases {
      guard let code = Problem.Code(rawValue: problem.type) else { continue }
      #expect(code.status == problem.status.code, "\(code)")
    }
  }

  @Test func `each status of an operation has its codes, and no other`() {
    for operation in Endpoint.all {
      for code in operation.problems {
        let response = Document.response(of: operation, status: code.status)
        let codes = response?["x-problemTypes"]?.elements.compactMap(\.string)
        #expect(codes?.contains(code.rawValue) == true, "\(operation.id) \(code)")
      }
    }
  }

  @Test(arguments: ["setToken", "setActivity"])
  func `that a further token is of another user's device is a refusal of its operation`(_ id: String) throws {
    let operation = try #require(Endpoint.all.first { $0.id == id })
    #expect(operation.problems.contains(.userMismatch))
  }

  // MARK: The sources

  /// How often the sources speak of a code, beside the files that define and describe it.
  private static func occurrences(of code: Problem.Code) -> Int {
    let name = ".\(code)"
    return sources.count { text in
      text.ranges(of: name).contains { range in
        range.upperBound == text.endIndex || !(text[range.upperBound].isLetter || text[range.upperBound].isNumber)
      }
    }
  }

  private static let sources: [String] = {
    // What endpoints promise is no occurrence.
    let promises = #/problems: \[[^\]]*\]/#
    let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")
    let files =
      FileManager.default.enumerator(at: top, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
    return files.filter { file in
      file.pathExtension == "swift" && !file.path.contains("/API/Description/")
        && !file.path.hasSuffix("API/Endpoint.swift")
        && !file.path.hasSuffix("Domain/Problem.swift")
    }.compactMap { try? String(contentsOf: $0, encoding: .utf8).replacing(promises, with: "") }
  }()
}

extension Document {
  private static let whole = make()

  /// What the document says of one status of an operation, looked up through its reference.
  static func response(of operation: Endpoint, status: Int) -> JSONTree? {
    let path = whole["paths"]?[operation.pattern]?[operation.method.rawValue.lowercased()]
    guard let response = path?["responses"]?[String(status)] else { return nil }
    guard let name = response["$ref"]?.string?.split(separator: "/").last else { return response }
    return whole["components"]?["responses"]?[String(name)]
  }
}
