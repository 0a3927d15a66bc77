// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NoLeadingUnderscores

/// <https://developer.apple.com/documentation/security/osstatus>
public typealias OSStatus = Int32
/// <https://developer.apple.com/documentation/corefoundation/cfstring>
public typealias CFString = String
/// Apple's is a class that Swift's dictionary becomes with `as`; here the dictionary is the type itself.
public typealias CFDictionary = [String: Any]
/// <https://developer.apple.com/documentation/corefoundation/cftyperef>
public typealias CFTypeRef = AnyObject

/// <https://developer.apple.com/documentation/security/ksecclass>
public let kSecClass: CFString = ""
/// <https://developer.apple.com/documentation/security/ksecclassgenericpassword>
public let kSecClassGenericPassword: CFString = ""
/// <https://developer.apple.com/documentation/security/ksecattrservice>
public let kSecAttrService: CFString = ""
/// <https://developer.apple.com/documentation/security/ksecattraccount>
public let kSecAttrAccount: CFString = ""
/// <https://developer.apple.com/documentation/security/ksecattraccessgroup>
public let kSecAttrAccessGroup: CFString = ""
/// <https://developer.apple.com/documentation/security/ksecattraccessible>
public let kSecAttrAccessible: CFString = ""
/// <https://developer.apple.com/documentation/security/ksecattraccessibleafterfirstunlockthisdeviceonly>
public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = ""
/// <https://developer.apple.com/documentation/security/ksecreturndata>
public let kSecReturnData: CFString = ""
/// <https://developer.apple.com/documentation/security/ksecmatchlimit>
public let kSecMatchLimit: CFString = ""
/// <https://developer.apple.com/documentation/security/ksecmatchlimitone>
public let kSecMatchLimitOne: CFString = ""
/// <https://developer.apple.com/documentation/security/ksecvaluedata>
public let kSecValueData: CFString = ""

/// <https://developer.apple.com/documentation/security/errsecsuccess>
public let errSecSuccess: OSStatus = 0
/// <https://developer.apple.com/documentation/security/errsecitemnotfound>
public let errSecItemNotFound: OSStatus = -25300
/// <https://developer.apple.com/documentation/security/errsecduplicateitem>
public let errSecDuplicateItem: OSStatus = -25299

/// <https://developer.apple.com/documentation/security/secitemcopymatching(_:_:)>
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus { 0 }
/// <https://developer.apple.com/documentation/security/secitemadd(_:_:)>
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus { 0 }
/// <https://developer.apple.com/documentation/security/secitemupdate(_:_:)>
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus { 0 }
/// <https://developer.apple.com/documentation/security/secitemdelete(_:)>
public func SecItemDelete(_ query: CFDictionary) -> OSStatus { 0 }
