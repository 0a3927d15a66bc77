import Glibc
import Reactor
import TestSupport
import Testing

@Suite struct InboxTests {
  @Test func `items come out in the order they were offered`() throws {
    let inbox = try Inbox<Int>(capacity: 10)
    for item in 1...3 { #expect(inbox.offer(item)) }
    #expect(inbox.takeAll() == [1, 2, 3])
  }

  @Test func `a full inbox refuses and keeps what it has`() throws {
    let inbox = try Inbox<Int>(capacity: 2)
    #expect(inbox.offer(1))
    #expect(!inbox.offer(contentsOf: [2, 3]))
    #expect(inbox.offer(2))
    #expect(!inbox.offer(3))
    #expect(inbox.takeAll() == [1, 2])
  }

  @Test func `what must not be lost gets into a full inbox, in its order, but not into a closed one`() throws {
    let inbox = try Inbox<Int>(capacity: 1)
    #expect(inbox.offer(1))
    #expect(inbox.add(2))
    #expect(!inbox.offer(3))
    #expect(inbox.takeAll() == [1, 2])
    inbox.close()
    #expect(!inbox.add(4))
  }

  @Test func `a closed inbox refuses, but what waits can be taken`() throws {
    let inbox = try Inbox<Int>(capacity: 2)
    #expect(inbox.offer(1))
    inbox.close()
    #expect(!inbox.offer(2))
    #expect(inbox.refusesAll && !inbox.isClosed)
    #expect(inbox.receive(atMost: .seconds(10)) == [1])
    #expect(inbox.receive(atMost: .seconds(10)) == [])
    #expect(inbox.isClosed)
  }

  @Test func `an item from another thread wakes the loop`() throws {
    let loop = try EventLoop()
    let inbox = try Inbox<Int>(capacity: 10)
    var received: [Int] = []
    try loop.attach(inbox) { items in
      received += items
      loop.stop()
    }
    let thread = try Thread(name: "offers") { _ = inbox.offer(7) }
    loop.run()
    thread.join()
    #expect(received == [7])
  }

  @Test func `an inbox is closed for its owner only when nothing waits any more`() throws {
    // Else an owner that saw nothing, and then "closed", would leave behind what came between.
    let inbox = try Inbox<Int>(capacity: 2)
    #expect(!inbox.isClosed)
    #expect(inbox.offer(1))
    inbox.close()
    #expect(!inbox.isClosed)
    #expect(inbox.takeAll() == [1])
    #expect(inbox.isClosed)
  }

  @Test func `nothing offered before the close is lost, however the threads meet`() throws {
    for round in 0..<2000 {
      let inbox = try Inbox<Int>(capacity: 4)
      let thread = try Thread(name: "offers") {
        for item in 0..<3 where !inbox.offer(item) { return }
        inbox.close()
      }
      var received: [Int] = []
      repeat { received += inbox.receive(atMost: .patience) } while !inbox.isClosed
      thread.join()
      guard received == [0, 1, 2] else {
        Issue.record("round \(round): received \(received)")
        return
      }
    }
  }

  @Test func `a batch fits exactly or not at all, and an empty one always`() throws {
    let inbox = try Inbox<Int>(capacity: 3)
    #expect(inbox.offer(contentsOf: [1, 2, 3]))
    #expect(inbox.offer(contentsOf: []))
    #expect(!inbox.offer(4))
    #expect(inbox.count == 3)
    #expect(inbox.takeAll() == [1, 2, 3])
    #expect(inbox.count == 0)
    #expect(!inbox.offer(contentsOf: [1, 2, 3, 4]))
  }

  @Test func `receiving gives up when the time is over`() throws {
    #expect(try Inbox<Int>(capacity: 1).receive(atMost: .milliseconds(1)) == [])
  }

  @Test func `receiving waits on when it is woken for nothing`() throws {
    let inbox = try Inbox<Int>(capacity: 1)
    let thread = try Thread(name: "wakes") {
      for _ in 0..<1000 {
        inbox.wakeup.signal()
        sched_yield()
      }
      _ = inbox.offer(1)
    }
    #expect(inbox.receive(atMost: .patience) == [1])
    thread.join()
  }

  @Test func `many threads, one owner: everything arrives once, each thread's items in order`() throws {
    let inbox = try Inbox<(thread: Int, number: Int)>(capacity: 64)
    let names = 0..<4
    let perThread = 5000
    for thread in names {
      _ = try Thread(name: "offers-\(thread)") {
        var number = 0
        while number < perThread { if inbox.offer((thread, number)) { number += 1 } else { sched_yield() } }
      }
    }
    var next = [Int](repeating: 0, count: names.count)
    while next.reduce(0, +) < names.count * perThread {
      let batch = inbox.receive(atMost: .patience)
      try #require(!batch.isEmpty, "the owner was not woken")
      for (thread, number) in batch {
        try #require(next[thread] == number)
        next[thread] += 1
      }
    }
    #expect(inbox.count == 0)
  }
}
