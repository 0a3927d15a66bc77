@_exported import FoundationEssentials
@_exported import ObjectiveC

// Bridging, which the compiler asks for before it lets a type into an `@objc` signature.

open class NSString: NSObject {}
open class NSDictionary: NSObject {}
open class NSArray: NSObject {}
open class NSNumber: NSObject, @unchecked Sendable {
  public let intValue: Int
  public init(value: Int) { intValue = value }
}

extension String: @retroactive _ObjectiveCBridgeable {
  public func _bridgeToObjectiveC() -> NSString { NSString() }
  public static func _forceBridgeFromObjectiveC(_ source: NSString, result: inout String?) {}
  public static func _conditionallyBridgeFromObjectiveC(_ source: NSString, result: inout String?) -> Bool { false }
  public static func _unconditionallyBridgeFromObjectiveC(_ source: NSString?) -> String { "" }
}

extension Dictionary: @retroactive _ObjectiveCBridgeable {
  public func _bridgeToObjectiveC() -> NSDictionary { NSDictionary() }
  public static func _forceBridgeFromObjectiveC(_ source: NSDictionary, result: inout Dictionary?) {}
  public static func _conditionallyBridgeFromObjectiveC(_ source: NSDictionary, result: inout Dictionary?) -> Bool {
    false
  }
  public static func _unconditionallyBridgeFromObjectiveC(_ source: NSDictionary?) -> Dictionary { [:] }
}

extension AnyHashable: @retroactive _ObjectiveCBridgeable {
  public func _bridgeToObjectiveC() -> NSObject { NSObject() }
  public static func _forceBridgeFromObjectiveC(_ source: NSObject, result: inout AnyHashable?) {}
  public static func _conditionallyBridgeFromObjectiveC(_ source: NSObject, result: inout AnyHashable?) -> Bool {
    false
  }
  public static func _unconditionallyBridgeFromObjectiveC(_ source: NSObject?) -> AnyHashable { 0 }
}

// What FoundationEssentials has not got.

open class NSLock: NSObject, @unchecked Sendable {
  open func lock() {}
  open func unlock() {}
}

open class Bundle: NSObject, @unchecked Sendable {
  public static let main = Bundle()
  open var bundleIdentifier: String? { nil }
  open func object(forInfoDictionaryKey key: String) -> Any? { nil }
}

extension FileManager {
  public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? { nil }
}

public func NSTemporaryDirectory() -> String { "" }

extension ProcessInfo {
  public func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (Bool) -> Void) {}
}

extension Locale {
  public static var preferredLanguages: [String] { [] }
}

open class DispatchSemaphore: NSObject, @unchecked Sendable {
  public init(value: Int) {}
  @discardableResult open func signal() -> Int { 0 }
  open func wait() {}
}

public struct CGFloat: Sendable, Comparable, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
  public init(integerLiteral value: Int) {}
  public init(floatLiteral value: Double) {}
  public static func < (left: CGFloat, right: CGFloat) -> Bool { false }
  public static func + (left: CGFloat, right: CGFloat) -> CGFloat { left }
  public static func - (left: CGFloat, right: CGFloat) -> CGFloat { left }
  public static func * (left: CGFloat, right: CGFloat) -> CGFloat { left }
  public static func / (left: CGFloat, right: CGFloat) -> CGFloat { left }
}

public struct CGSize: Sendable {
  public var width: CGFloat
  public var height: CGFloat
  public init(width: CGFloat, height: CGFloat) {
    self.width = width
    self.height = height
  }
}

public struct CGRect: Sendable {
  public var width: CGFloat
  public var height: CGFloat
  public init(x: CGFloat, y: CGFloat, width: CGFloat, height: CGFloat) {
    self.width = width
    self.height = height
  }
}
