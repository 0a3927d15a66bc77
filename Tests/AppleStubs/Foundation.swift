// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NoLeadingUnderscores

@_exported import FoundationEssentials
@_exported import ObjectiveC

// Bridging, which the compiler asks for before it lets a type into an `@objc` signature.

/// <https://developer.apple.com/documentation/foundation/nsstring>
open class NSString: NSObject {}
/// <https://developer.apple.com/documentation/foundation/nsdictionary>
open class NSDictionary: NSObject {}
/// <https://developer.apple.com/documentation/foundation/nsarray>
open class NSArray: NSObject {}
/// <https://developer.apple.com/documentation/foundation/nsnumber>
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

/// <https://developer.apple.com/documentation/foundation/nslock>
open class NSLock: NSObject, @unchecked Sendable {
  open func lock() {}
  open func unlock() {}
}

/// <https://developer.apple.com/documentation/foundation/bundle>
open class Bundle: NSObject, @unchecked Sendable {
  public static let main = Bundle()
  open var bundleIdentifier: String? { nil }
  open func object(forInfoDictionaryKey key: String) -> Any? { nil }
}

/// <https://developer.apple.com/documentation/foundation/filemanager>
extension FileManager {
  public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? { nil }
}

/// <https://developer.apple.com/documentation/foundation/userdefaults>
open class UserDefaults: NSObject, @unchecked Sendable {
  public init?(suiteName suitename: String?) {}
  open func set(_ value: Any?, forKey defaultName: String) {}
  open func string(forKey defaultName: String) -> String? { nil }
}

/// <https://developer.apple.com/documentation/foundation/url>
extension URL {
  public func startAccessingSecurityScopedResource() -> Bool { true }
  public func stopAccessingSecurityScopedResource() {}
}

/// <https://developer.apple.com/documentation/foundation/nstemporarydirectory()>
public func NSTemporaryDirectory() -> String { "" }

/// <https://developer.apple.com/documentation/foundation/processinfo>
extension ProcessInfo {
  public func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (Bool) -> Void) {}
}

/// <https://developer.apple.com/documentation/foundation/locale>
extension Locale {
  public static var preferredLanguages: [String] { [] }
}

/// <https://developer.apple.com/documentation/dispatch/dispatchtime>
public struct DispatchTime: Sendable {
  public static func now() -> DispatchTime { DispatchTime() }
  public static func + (time: DispatchTime, seconds: Double) -> DispatchTime { time }
}

/// <https://developer.apple.com/documentation/dispatch/dispatchqueue>
open class DispatchQueue: NSObject, @unchecked Sendable {
  open class func global() -> DispatchQueue { DispatchQueue() }
  open func asyncAfter(deadline: DispatchTime, execute work: @escaping @Sendable @convention(block) () -> Void) {}
}

/// <https://developer.apple.com/documentation/dispatch/dispatchsemaphore>
open class DispatchSemaphore: NSObject, @unchecked Sendable {
  public init(value: Int) {}
  @discardableResult open func signal() -> Int { 0 }
  open func wait() {}
}

/// <https://developer.apple.com/documentation/corefoundation/cgfloat>
public struct CGFloat: Sendable, Comparable, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
  public init(integerLiteral value: Int) {}
  public init(floatLiteral value: Double) {}
  public static func < (left: CGFloat, right: CGFloat) -> Bool { false }
  public static func + (left: CGFloat, right: CGFloat) -> CGFloat { left }
  public static func - (left: CGFloat, right: CGFloat) -> CGFloat { left }
  public static func * (left: CGFloat, right: CGFloat) -> CGFloat { left }
  public static func / (left: CGFloat, right: CGFloat) -> CGFloat { left }
}

/// <https://developer.apple.com/documentation/corefoundation/cgsize>
public struct CGSize: Sendable {
  public var width: CGFloat
  public var height: CGFloat
  public init(width: CGFloat, height: CGFloat) {
    self.width = width
    self.height = height
  }
}

/// <https://developer.apple.com/documentation/corefoundation/cgrect>
public struct CGRect: Sendable {
  public var width: CGFloat
  public var height: CGFloat
  public init(x: CGFloat, y: CGFloat, width: CGFloat, height: CGFloat) {
    self.width = width
    self.height = height
  }
}
