/// What a push token of a device is good for. Raw values are stored.
package enum TokenKind: Int16, CaseIterable, Sendable {
  case alert = 1
  case voip = 2
  case pushToTalk = 3
  case liveActivityStart = 4
  case liveActivityUpdate = 5
  case complication = 6
  case fileProvider = 7
  case location = 8
  case widgets = 9
  case controls = 10
}
