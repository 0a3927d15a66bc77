import Testing

/// The graph of files in a module whose types refer to each other: a cycle forces a reader of one file to read them
/// all.
struct FileGraph {
  private let names: [String]
  /// For each file's index, the files whose types it names.
  private let uses: [[Int]]

  /// - Parameter files: of one module.
  init(_ files: [SwiftSource]) {
    names = files.map(\.fileName)
    var homes: [Substring: Set<Int>] = [:]
    for (index, file) in files.enumerated() {
      for type in NameRule.topLevelTypes(of: file) { homes[type.name, default: []].insert(index) }
    }
    uses = files.enumerated().map { index, file in
      let found = Set(file.words.map(\.text)).compactMap { word in
        // A name declared in two files belongs to neither.
        homes[word].flatMap { $0.count == 1 ? $0.first : nil }
      }
      return Set(found).subtracting([index]).sorted()
    }
  }

  /// Files in cycles, each cycle sorted by name.
  var circles: [[String]] {
    var left = Set(names.indices)
    var circles: [[String]] = []
    let reach = names.indices.map(reachable)
    while let start = left.min() {
      let circle = reach[start].filter { reach[$0].contains(start) }
      left.subtract(circle)
      left.remove(start)
      if circle.count > 1 { circles.append(circle.map { names[$0] }.sorted()) }
    }
    return circles
  }

  private func reachable(from start: Int) -> Set<Int> {
    var found: Set<Int> = []
    var open = uses[start]
    while let next = open.popLast() {
      if found.insert(next).inserted { open += uses[next] }
    }
    return found
  }
}

@Suite struct CircleTests {
  @Test func `no more than two files of a module lead back to each other`() {
    for (module, files) in Dictionary(grouping: SourceTree.current.sources, by: \.module) {
      let circles = FileGraph(files).circles.filter { $0.count > 2 }
      #expect(circles.isEmpty, "\(module): \(circles.map { $0.joined(separator: ", ") })")
    }
  }

  @Test func `a circle is found, and a way in one direction is none`() {
    let texts = [
      "A.swift": "struct A { let b: B }", "B.swift": "struct B { let c: C }", "C.swift": "struct C { let a: [A] }",
      "D.swift": "struct D { let a: A }",
    ]
    let files = texts.map { SwiftSource(path: "Sources/Store/\($0.key)", text: $0.value + "\n") }
    #expect(FileGraph(files).circles == [["A.swift", "B.swift", "C.swift"]])
  }
}
