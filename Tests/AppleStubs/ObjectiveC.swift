// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NoLeadingUnderscores

/// Stands in for Apple's module of this name, so that the Apple parts can be type-checked elsewhere. Only what they use is
/// declared, with Apple's signatures; nothing does anything.
///
/// <https://developer.apple.com/documentation/objectivec/nsobject-swift.class>
@objc open class NSObject: NSObjectProtocol {
  public init() {}
  open func mutableCopy() -> Any { self }
}

/// <https://developer.apple.com/documentation/objectivec/nsobjectprotocol>
@objc public protocol NSObjectProtocol: AnyObject {}
