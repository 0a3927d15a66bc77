import Testing

@testable import Domain

@Suite struct SecondPersonTests {
  @Test(
    arguments: [
      // devices, approved, within the hour, most
      (2, nil, 0, 2, nil), (3, nil, 0, 2, .size), (nil, nil, 0, 2, .size), (nil, 2, 0, 2, nil),
      (1, nil, 1, 2, nil), (1, nil, 2, 2, .hour), (0, nil, 99, 2, nil), (1, nil, 0, 0, .size),
      (110, 100, 0, 2, nil), (111, 100, 0, 2, .growth), (3, 3, 0, 2, nil), (4, 3, 0, 2, .growth), (2, 0, 0, 2, nil),
      (.max, .max, 0, 2, nil), (.max, nil, .max, .max, .hour),
    ] as [(Int64?, Int64?, Int64, Int64, SecondPerson.Because?)])
  func `what one person may send alone`(
    devices: Int64?, approved: Int64?, withinHour: Int64, most: Int64, because: SecondPerson.Because?
  ) {
    #expect(
      SecondPerson.approvalReason(devices: devices, approved: approved, withinHour: withinHour, most: most) == because)
  }
}
