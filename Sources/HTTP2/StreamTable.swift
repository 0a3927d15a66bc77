/// Maps the id of an open stream to its slot in `ClientConnection.exchanges`.
///
/// A client's ids are odd and consecutive, so each has its own cell in a ring buffer much larger than the number of
/// open streams: a look-up is one comparison, without a search. Only a stream that stays open while the ids wrap around
/// the ring collides with another; the newer one then goes into an overflow dictionary.
struct StreamTable {
  private static let free: Int32 = 0

  private var ids: [Int32]
  private var slots: [Int32]
  private var mask: Int
  private var beside: [Int32: Int] = [:]
  private(set) var count = 0

  init() {
    mask = 1023
    ids = Array(repeating: Self.free, count: mask + 1)
    slots = Array(repeating: 0, count: mask + 1)
  }

  private func cell(_ id: Int32) -> Int { Int(id >> 1) & mask }

  subscript(id: Int32) -> Int? {
    let cell = cell(id)
    if ids[cell] == id { return Int(slots[cell]) }
    return beside.isEmpty ? nil : beside[id]
  }

  mutating func insert(_ id: Int32, slot: Int) {
    if count * 4 > mask { grow() }
    let cell = cell(id)
    if ids[cell] == Self.free {
      ids[cell] = id
      slots[cell] = Int32(slot)
    } else {
      beside[id] = slot
    }
    count += 1
  }

  mutating func remove(_ id: Int32) {
    let cell = cell(id)
    if ids[cell] == id {
      ids[cell] = Self.free
    } else if beside.removeValue(forKey: id) == nil {
      return
    }
    count -= 1
  }

  private mutating func grow() {
    var entries = Array(zip(ids, slots).filter { $0.0 != Self.free })
    entries += beside.map { ($0.key, Int32($0.value)) }
    mask = mask * 2 + 1
    ids = Array(repeating: Self.free, count: mask + 1)
    slots = Array(repeating: 0, count: mask + 1)
    beside = [:]
    count = 0
    for (id, slot) in entries { insert(id, slot: Int(slot)) }
  }
}
