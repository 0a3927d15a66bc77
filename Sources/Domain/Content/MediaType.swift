/// Media types that a notification can show, detected from the first bytes of a file.
///
/// Source: `UNNotificationAttachment`, "Supported file types" (AIFF, WAV, MP3, MPEG-4 audio; JPEG, GIF, PNG; MPEG,
/// MPEG-2, MPEG-4, AVI), and QuickTime, in which iPhones record. WebP, HEIC and others are not shown, so they are not
/// accepted. The client detects what it attaches by the same bytes (`MediumKind` of `UPMCClient`); a test holds one
/// against the other.
package enum MediaType: String, CaseIterable, Sendable {
  case jpeg = "image/jpeg"
  case png = "image/png"
  case gif = "image/gif"
  case mp3 = "audio/mpeg"
  case m4a = "audio/mp4"
  case wav = "audio/wav"
  case aiff = "audio/aiff"
  case mp4 = "video/mp4"
  case mpeg = "video/mpeg"
  case quicktime = "video/quicktime"
  case avi = "video/x-msvideo"

  package enum Kind: String, Sendable {
    case image, audio, video

    /// Maximum size in bytes of a file that iOS shows. Apple states 10, 5 and 50 MB; 1 MB is taken as 10⁶ bytes here,
    /// the smaller interpretation.
    package var largestBytes: Int {
      switch self {
      case .image: 10_000_000
      case .audio: 5_000_000
      case .video: 50_000_000
      }
    }
  }

  package var kind: Kind {
    switch self {
    case .jpeg, .png, .gif: .image
    case .mp3, .m4a, .wav, .aiff: .audio
    case .mp4, .mpeg, .quicktime, .avi: .video
    }
  }

  /// File name extension with its dot, from which iOS determines the type of a file.
  package var suffix: String {
    switch self {
    case .jpeg: ".jpg"
    case .png: ".png"
    case .gif: ".gif"
    case .mp3: ".mp3"
    case .m4a: ".m4a"
    case .wav: ".wav"
    case .aiff: ".aiff"
    case .mp4: ".mp4"
    case .mpeg: ".mpg"
    case .quicktime: ".mov"
    case .avi: ".avi"
    }
  }

  /// Other names that clients use for the type.
  private var aliases: [String] {
    switch self {
    case .jpeg: ["image/jpg", "image/pjpeg"]
    case .mp3: ["audio/mp3", "audio/x-mp3", "audio/x-mpeg"]
    case .m4a: ["audio/m4a", "audio/x-m4a", "audio/aac"]
    case .wav: ["audio/x-wav", "audio/wave", "audio/vnd.wave"]
    case .aiff: ["audio/x-aiff"]
    case .mp4: ["video/x-m4v", "application/mp4"]
    case .mpeg: ["video/mpg", "video/x-mpeg"]
    case .avi: ["video/avi", "video/msvideo"]
    case .png, .gif, .quicktime: []
    }
  }

  /// Returns whether a name means this type: its own, or another one that clients use.
  package func isCalled(_ name: String) -> Bool {
    rawValue == name || aliases.contains(name)
  }

  // MARK: Sniffing

  /// Detects the type from a file's first bytes. Returns nil for anything that a notification cannot show.
  package init?(sniffing bytes: [UInt8]) {
    func has(_ text: String, at place: Int = 0) -> Bool {
      bytes.count >= place + text.utf8.count && bytes[place...].starts(with: text.utf8)
    }
    func begins(_ prefix: [UInt8]) -> Bool { bytes.starts(with: prefix) }
    if begins([0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if begins([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if has("GIF87a") || has("GIF89a") {
      self = .gif
    } else if has("RIFF"), has("WAVE", at: 8) {
      self = .wav
    } else if has("RIFF"), has("AVI ", at: 8) {
      self = .avi
    } else if has("FORM"), has("AIFF", at: 8) || has("AIFC", at: 8) {
      self = .aiff
    } else if has("ftyp", at: 4) {
      guard let type = Self.ofBrand(Array(bytes.dropFirst(8).prefix(4))) else { return nil }
      self = type
    } else if begins([0, 0, 1, 0xBA]) || begins([0, 0, 1, 0xB3]) {
      self = .mpeg
    } else if has("ID3") || Self.isLayer3(bytes) {
      self = .mp3
    } else {
      return nil
    }
  }

  /// Returns the type of the major brand that follows `ftyp` (ISO/IEC 14496-12); nil for an unsupported one.
  private static func ofBrand(_ brand: [UInt8]) -> MediaType? {
    switch String(decoding: brand, as: UTF8.self) {
    case "M4A ", "M4B ": .m4a
    case "qt  ": .quicktime
    case "isom", "iso2", "iso4", "iso5", "iso6", "mp41", "mp42", "avc1", "M4V ", "MSNV", "dash", "3gp4", "3gp5": .mp4
    // HEIC, AVIF and other formats in this container are not supported.
    default: nil
    }
  }

  /// Returns whether the bytes are the header of an MPEG audio frame (ISO/IEC 11172-3 §2.4.1.3) of layer III, with a
  /// valid bit rate and sample rate.
  private static func isLayer3(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 4, bytes[0] == 0xFF, bytes[1] & 0xE0 == 0xE0 else { return false }
    let version = bytes[1] >> 3 & 3
    let layer = bytes[1] >> 1 & 3
    let rate = bytes[2] >> 4
    return version != 1 && layer == 1 && rate != 0 && rate != 15 && bytes[2] >> 2 & 3 != 3
  }
}
