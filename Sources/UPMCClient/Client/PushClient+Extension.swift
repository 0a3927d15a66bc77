#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Processes a push for a Notification Service Extension, except for calls to the system's notification API.
extension PushClient {
  /// Stores the receipt of a push without sending it. Returns true if the receipt is on disk, so that the app need not
  /// confirm the push; false for a silent push, if the device is not registered, if the key store cannot be read, or if
  /// the receipt cannot be stored.
  public func store(receiptOf payload: ReceivedPayload) -> Bool {
    guard !payload.isSilent, let known = try? registration(),
      let entry = OutboxEntry(
        .receipt, seqno: payload.seqno, pushkey: payload.pushkey, psids: known.tokens, now: now())
    else { return false }
    do {
      try outbox.add(entry)
      return true
    } catch {
      log("cannot store the receipt of \(payload.seqno): \(error)")
      return false
    }
  }

  /// Processes a push for a Notification Service Extension: stores the receipt first, because the system can end the
  /// process at any moment, then sends it while page and image are downloaded. The notification waits for the
  /// downloads, but never for the receipt to be sent. Returns when `show` has been called and sending has ended.
  /// - Parameters:
  ///   - directory: directory for the media file, which the system moves away when it is attached.
  ///   - stored: called first, if the receipt is on disk (`store(receiptOf:)`), so that the app need not confirm the
  ///     push.
  ///   - show: passes the content to the system; called exactly once, after the downloads have ended, even if all
  ///     failed.
  public nonisolated func process(
    _ payload: ReceivedPayload, mediaInto directory: String, stored: @Sendable () -> Void,
    show: @Sendable (FetchedContent) -> Void
  ) async {
    if await store(receiptOf: payload) { stored() }
    async let confirmed = receive(payload, isExtension: true)
    show(await fetch(contentOf: payload, mediaInto: directory))
    _ = await confirmed
  }

  /// Downloads what a push refers to: a hosted `ext` and a hosted text concurrently, then an image, sound or video,
  /// from `mediaUrl` or else the image that `ext` names. Omits from the result downloads that fail, and media that is
  /// of an unknown kind or cannot be stored.
  /// - Parameter directory: directory for the media file, which the system moves away when it is attached.
  public nonisolated func fetch(contentOf payload: ReceivedPayload, mediaInto directory: String) async -> FetchedContent
  {
    async let ext = fetched(payload.ext)
    async let body = fetched(payload.body)
    var content = FetchedContent()
    content.ext = await ext
    content.body = await body
    let image = (content.ext ?? payload.ext).flatMap { RichContent($0).imageURL }
    if let url = payload.mediaURL ?? image {
      content.mediaFile = await file(url, named: payload.seqno, in: directory)
    }
    return content
  }

  private nonisolated func fetched(_ value: String?) async -> String? {
    guard let value, RichContent.isHosted(value) else { return nil }
    return try? await resolve(value)
  }

  private nonisolated func file(_ url: String, named name: String, in directory: String) async -> String? {
    guard let bytes = try? await media(url), let kind = MediumKind(bytes) else { return nil }
    let path = "\(directory)/upmc-\(name).\(kind.rawValue)"
    do {
      try DurableFile.write(bytes, to: path, in: directory)
      return path
    } catch {
      return nil
    }
  }
}

/// The content that was downloaded for a push. A member is nil if the payload contains the value itself or none, if the
/// download failed, or if the media file is of an unknown kind or could not be stored.
public struct FetchedContent: Sendable, Equatable {
  /// The value of a hosted `ext`.
  public internal(set) var ext: String?
  /// The text of a hosted message.
  public internal(set) var body: String?
  /// The path of an image, sound or video, whose file name has the extension that the system requires.
  public internal(set) var mediaFile: String?

  /// Creates an empty result.
  init() {}
}

/// The kind of a media file that the system can attach. It is determined by the content's first bytes, because URL and
/// `Content-Type` are not reliable. The initializer returns nil for other content. The raw value is the file name
/// extension.
///
/// The server detects the files that are uploaded to it by the same bytes (`MediaType` of its module `Domain`): each
/// that it accepts is attached.
enum MediumKind: String {
  case jpg, png, gif, mp4, mov, mpg, avi, m4a, wav, aiff, mp3

  init?(_ bytes: [UInt8]) {
    func has(_ text: String, at offset: Int = 0) -> Bool { bytes.dropFirst(offset).starts(with: text.utf8) }
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpg
    } else if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if has("GIF87a") || has("GIF89a") {
      self = .gif
    } else if has("ftyp", at: 4) {
      let brand = bytes.dropFirst(8).prefix(4)
      guard brand.count == 4, let kind = Self.ofBrand(String(decoding: brand, as: UTF8.self)) else { return nil }
      self = kind
    } else if has("RIFF"), has("WAVE", at: 8) {
      self = .wav
    } else if has("RIFF"), has("AVI ", at: 8) {
      self = .avi
    } else if has("FORM"), has("AIFF", at: 8) || has("AIFC", at: 8) {
      self = .aiff
    } else if bytes.starts(with: [0, 0, 1, 0xBA]) || bytes.starts(with: [0, 0, 1, 0xB3]) {
      self = .mpg
    } else if has("ID3") || Self.isLayer3(bytes) {
      self = .mp3
    } else {
      return nil
    }
  }

  /// Returns the kind for the major brand that follows `ftyp` (ISO/IEC 14496-12). Nil for pictures in this container,
  /// HEIF (ISO/IEC 23008-12) and AVIF, which the system does not attach; other brands count as MP4, because an address
  /// may lead to films that the server does not accept as uploads.
  private static func ofBrand(_ brand: String) -> MediumKind? {
    switch brand {
    case "M4A ", "M4B ": .m4a
    case "qt  ": .mov
    case "heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs", "avci", "avcs": nil
    case "mif1", "mif2", "msf1", "avif", "avis": nil
    default: .mp4
    }
  }

  /// Returns whether the bytes are the header of an MPEG audio frame (ISO/IEC 11172-3 §2.4.1.3) of layer III, of any
  /// version, with a valid bit rate and sample rate.
  private static func isLayer3(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 4, bytes[0] == 0xFF, bytes[1] & 0xE0 == 0xE0 else { return false }
    let version = bytes[1] >> 3 & 3
    let layer = bytes[1] >> 1 & 3
    let rate = bytes[2] >> 4
    return version != 1 && layer == 1 && rate != 0 && rate != 15 && bytes[2] >> 2 & 3 != 3
  }
}
