import Domain
import Testing

/// Sentences as templates, and in which language they are said.
@Suite struct SentenceTests {
  @Test func `a literal keeps its template and what was inserted`() {
    let sentence: Sentence = "There is no group \(7)."
    #expect(sentence.template == "There is no group {1}.")
    #expect(sentence.arguments == [.text("7")])
    #expect(sentence.english == "There is no group 7." && "\(sentence)" == sentence.english)
    #expect(sentence.text(in: .korean) == "그룹 7을 찾을 수 없습니다.")
  }

  @Test func `a sentence within a sentence is said in the same language`() {
    let problem = Problem(at: "/name", "must not be empty")
    #expect(problem.detail == "/name must not be empty.")
    #expect(problem.sentence.text(in: .korean) == "/name: 비워 둘 수 없습니다.")
    let two = Sentence(joining: ["The file is empty.", "There is no group \(1)."])
    #expect(two.english == "The file is empty. There is no group 1.")
    #expect(two.text(in: .korean) == "파일이 비어 있습니다. 그룹 1을 찾을 수 없습니다.")
  }

  @Test func `braces in a text or in what is inserted stay`() {
    let example: Sentence = #"must be {"perSecond":n} or {"devices":n,"wait":"PT30S"}"#
    #expect(example.english == #"must be {"perSecond":n} or {"devices":n,"wait":"PT30S"}"#)
    let hostile: Sentence = "There is no app \("{1} {2} {9}")."
    #expect(hostile.english == "There is no app {1} {2} {9}.")
    #expect(hostile.text(in: .korean).hasPrefix("{1} {2} {9} 앱"))
    #expect(Sentence(template: "{3} {x} {", arguments: [.text("a")]).english == "{3} {x} {")
  }

  @Test func `what has no Korean, or came from outside, stays as it is`() {
    #expect(Sentence("Nobody says this.").text(in: .korean) == "Nobody says this.")
    #expect(Sentence(verbatim: "The file is empty.").text(in: .korean) == "The file is empty.")
  }

  @Test(
    arguments: [
      (nil, .english), ("", .english), ("ko", .korean), ("ko-KR,ko;q=0.9,en-US;q=0.8,en;q=0.7", .korean),
      ("en-US,en;q=0.9,ko;q=0.8", .english), ("en;q=0.5, ko;q=0.8", .korean), ("ko;q=0", .english), ("KO-kr", .korean),
      ("fr, de;q=0.5", .english), ("fr, ko;q=0.1", .korean), ("*", .english), ("kok", .english), ("ko ; q=1", .korean),
      ("ko;q=x, en;q=0.1", .english), (",;,ko", .korean),
    ] as [(String?, SpokenLanguage)])
  func `the language is the one that is wanted most`(header: String?, language: SpokenLanguage) {
    #expect(SpokenLanguage(accepting: header) == language)
  }

  /// The same names as the console's test has, because both have one rule.
  @Test(arguments: [
    ("그룹", "그룹을 그룹이 그룹은 그룹과 그룹으로"), ("앱 서버", "앱 서버를 앱 서버가 앱 서버는 앱 서버와 앱 서버로"),
    ("서울", "서울을 서울이 서울은 서울과 서울로"), ("12", "12를 12가 12는 12와 12로"), ("7", "7을 7이 7은 7과 7로"),
    ("1,000", "1,000을 1,000이 1,000은 1,000과 1,000으로"),
    ("단말(5대)", "단말(5대)를 단말(5대)가 단말(5대)는 단말(5대)와 단말(5대)로"),
    ("Demo", "Demo을(를) Demo이(가) Demo은(는) Demo와(과) Demo(으)로"),
  ])
  func `a particle follows what stands before it`(name: String, said: String) {
    let particles = ["을(를)", "이(가)", "은(는)", "와(과)", "(으)로"]
    #expect(KoreanParticles.settled(particles.map { name + $0 }.joined(separator: " ")) == said)
  }

  @Test func `a problem's words are in the language that is asked for, and its fields for programs stay`() {
    let problem = Problem(at: "/name", "is longer than \(64) bytes")
    let (english, korean) = (problem.json(requestID: "r"), problem.json(requestID: "r", in: .korean))
    #expect(String(decoding: english, as: UTF8.self).contains(#""detail":"is longer than 64 bytes""#))
    let text = String(decoding: korean, as: UTF8.self)
    #expect(text.contains(#""type":"upmc:invalid-field","title":"잘못된 항목이 있습니다","status":400"#), "\(text)")
    #expect(text.contains(#""errors":[{"pointer":"/name","detail":"64바이트를 넘을 수 없습니다"}]"#), "\(text)")
  }
}
