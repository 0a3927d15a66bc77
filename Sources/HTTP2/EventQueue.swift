/// A FIFO queue of events that reuses its storage, so that a busy session does not allocate.
struct EventQueue<Event> {
  private var events: [Event] = []
  private var next = 0

  mutating func append(_ event: Event) {
    events.append(event)
  }

  mutating func pop() -> Event? {
    guard next < events.count else {
      if next > 0 {
        events.removeAll(keepingCapacity: true)
        next = 0
      }
      return nil
    }
    defer { next += 1 }
    return events[next]
  }
}
