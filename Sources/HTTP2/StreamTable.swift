/// Finds the slot of an open stream by its id: a hash table with linear probing.
///
/// Ids of one client are odd and consecutive, so neighbours lie side by side and probes are short.
struct StreamTable {
  private static let free: Int32 = 0

  private var ids: [Int32]
  private var slots: [Int32]
  private var mask: Int
  private(set) var count = 0

  init() {
    ids = Array(repeating: Self.free, count: 256)
    slots = Array(repeating: 0, count: 256)
    mask = 255
  }

  private func home(_ id: Int32) -> Int { Int(id >> 1) & mask }

  subscript(id: Int32) -> Int? {
    var index = home(id)
    while ids[index] != Self.free {
      if ids[index] == id { return Int(slots[index]) }
      index = (index + 1) & mask
    }
    return nil
  }

  mutating func insert(_ id: Int32, slot: Int) {
    if count * 2 > mask { grow() }
    var index = home(id)
    while ids[index] != Self.free { index = (index + 1) & mask }
    ids[index] = id
    slots[index] = Int32(slot)
    count += 1
  }

  mutating func remove(_ id: Int32) {
    var hole = home(id)
    while ids[hole] != id {
      guard ids[hole] != Self.free else { return }
      hole = (hole + 1) & mask
    }
    count -= 1
    // Moves back what stood behind, as far as its home allows, so that no probe meets a gap.
    var index = hole
    while true {
      index = (index + 1) & mask
      guard ids[index] != Self.free else { break }
      if (index - home(ids[index])) & mask >= (index - hole) & mask {
        ids[hole] = ids[index]
        slots[hole] = slots[index]
        hole = index
      }
    }
    ids[hole] = Self.free
  }

  private mutating func grow() {
    let (oldIDs, oldSlots) = (ids, slots)
    mask = mask * 2 + 1
    ids = Array(repeating: Self.free, count: mask + 1)
    slots = Array(repeating: 0, count: mask + 1)
    count = 0
    for (id, slot) in zip(oldIDs, oldSlots) where id != Self.free { insert(id, slot: Int(slot)) }
  }
}
