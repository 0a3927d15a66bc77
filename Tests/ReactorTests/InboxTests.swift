import Reactor
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

  @Test func `a closed inbox refuses, but what waits can be taken`() throws {
    let inbox = try Inbox<Int>(capacity: 2)
    #expect(inbox.offer(1))
    inbox.close()
    #expect(!inbox.offer(2))
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
}
