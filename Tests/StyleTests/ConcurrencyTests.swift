import Testing

/// Threads are few, named and confined; values cross through an `Inbox`. No second kind of concurrency beside it.
enum ConcurrencyRule {
  private static let foreign: Set<Substring> = [
    "async", "await", "actor", "Task", "TaskGroup", "MainActor", "withCheckedContinuation", "withTaskGroup", "Dispatch",
    "DispatchQueue", "DispatchGroup", "DispatchSemaphore", "DispatchSource", "DispatchTime", "DispatchWorkItem",
  ]
  /// Waiting is done in the loop or on an inbox, where a wake-up can end it.
  private static let sleeps: Set<Substring> = ["sleep", "usleep", "nanosleep"]

  static func check(_ file: SwiftSource) -> [Violation] {
    // The client lives in apps, among their tasks.
    if ModuleGraph.client.contains(file.module) { return checkSleep(file) }
    return file.words.compactMap { word in
      // An audit log may have an actor.
      if foreign.contains(word.text), word.text != "actor" || word.isBeforeWord {
        return Violation(
          file.path, line: word.line,
          "uses `\(word.text)`; threads of the house are Reactor.Thread, and meet in an Inbox")
      }
      return sleepViolation(file, word)
    }
  }

  static func checkSleep(_ file: SwiftSource) -> [Violation] {
    file.words.compactMap { sleepViolation(file, $0) }
  }

  private static func sleepViolation(_ file: SwiftSource, _ word: SwiftSource.Word) -> Violation? {
    guard sleeps.contains(word.text), word.isCalled else { return nil }
    return Violation(file.path, line: word.line, "sleeps; wait for the event itself, with a time limit")
  }
}

@Suite struct ConcurrencyTests {
  @Test func `sources use threads and inboxes only`() {
    expectNone(SourceTree.current.sources.flatMap(ConcurrencyRule.check))
  }

  @Test func `tests do not sleep`() {
    // This file has the words in its samples' literals only.
    expectNone(SourceTree.current.swift.filter { !$0.isInSources }.flatMap(ConcurrencyRule.checkSleep))
  }

  @Test(arguments: [
    "func f() async {}", "await g()", "actor Store {}", "Task { }", "DispatchQueue.main.sync {}", "usleep(10)",
    "@MainActor func f() {}",
  ])
  func `other concurrency and sleeping are found`(line: String) {
    #expect(!ConcurrencyRule.check(SwiftSource(path: "Sources/Store/Sample.swift", text: line)).isEmpty)
  }

  @Test func `names that only resemble them pass`() {
    let text = "let sleep = 1; let dispatcher = Dispatcher(task: task) // await the actor\nlet t = \"async\"\n"
    #expect(ConcurrencyRule.check(SwiftSource(path: "Sources/Store/Sample.swift", text: text)) == [])
  }
}
