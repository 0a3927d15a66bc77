/// Korean sentences about messages, their content, channels, reports and webhooks.
extension KoreanSentences {
  static let sending = """
    The channel was deleted meanwhile.
    = 그 사이 채널이 삭제되었습니다.
    A group that the audience names was deleted meanwhile. Look at the audience, and send it again.
    = 그 사이 대상에 지정한 그룹이 삭제되었습니다. 대상을 확인하고 다시 보내세요.
    The key "{1}" was used for another update of this channel. Use a new one.
    = Idempotency-Key “{1}”은(는) 이 채널의 다른 업데이트에 이미 쓰였습니다. 새 키를 쓰세요.
    The app has {1} channels in {2}, and Apple makes no more. Delete those that are over.
    = 앱의 채널이 {2} 환경에 이미 {1}개 있어 Apple에서 더 만들 수 없습니다. 끝난 채널을 삭제하세요.
    is no channel that the app has at Apple in this environment
    = Apple의 이 환경에 없는 채널입니다
    is {1} at Apple, and cannot be changed
    = Apple에 {1}(으)로 등록되어 있어 바꿀 수 없습니다
    The app has no such channel; its number is what its creation answered.
    = 앱에 없는 채널입니다. 채널 번호는 만들 때 받은 번호입니다.
    environment must be {1}.
    = environment는 다음 중 하나여야 합니다: {1}.
    The app has a channel of this name in this environment already. Choose another name.
    = 이 환경에 같은 이름의 채널이 있습니다. 다른 이름을 입력하세요.
    must be Apple's name of a channel, in base64
    = Apple의 채널 ID(base64)여야 합니다
    Name a rule: {"label":"(광고)"}.
    = 변경할 규칙을 입력하세요(예: {"label":"(광고)"}).
    The app {1} was deleted meanwhile.
    = 그 사이 {1} 앱이 삭제되었습니다.
    must be text of at most {1} bytes
    = {1}바이트까지 쓸 수 있습니다
    Nothing checks that it has an opt-out wording, as the law may demand: upmc app ads {1} --opt-out …
    = 수신 거부 안내가 있는지 확인하지 않습니다. 법령에 따라 필요할 수 있습니다: upmc app ads {1} --opt-out …
    From {1} to {2} by a device's clock it waits, unless the device has given consent to ads at night (nightAd).
    = 야간 광고에 동의(nightAd)하지 않은 단말에는 단말 시각으로 {1}~{2} 동안 발송을 보류합니다.
    Its send window lies within these hours: where it is night then, only devices with that consent get it, and \
    for the others it expires.
    = 발송 시간대가 모두 야간 시간에 들어 있습니다. 야간인 단말 중 야간 광고에 동의한 단말에만 발송되고, 나머지는 발송되지 않고 만료됩니다.
    is a file whose values stand in the text, and a file is not sealed: send each person a message of their own, \
    or choose a lane that is not among the app's confidentialLanes
    = 파일의 값을 쓰는 메시지는 기밀로 보관할 수 없습니다. 고객마다 따로 보내거나 앱의 confidentialLanes에 없는 우선순위를 선택하세요
    A confidential message is sealed with the server's keys: set UPMC_MASTER_KEY or UPMC_MASTER_KEY_FILE as the \
    server has it.
    = 기밀 메시지에는 서버의 키가 필요합니다. 서버와 같은 UPMC_MASTER_KEY 또는 UPMC_MASTER_KEY_FILE을 설정하세요.
    cannot be sent with a push certificate; set a .p8 key with `upmc app credential`
    = 푸시 인증서로는 보낼 수 없습니다. .p8 키를 등록하세요
    needs a push certificate for {1}, or a .p8 key; set it with `upmc app credential`
    = {1}용 푸시 인증서나 .p8 키가 필요합니다
    A device's Idempotency-Key must have 1 to {1} bytes.
    = 단말의 Idempotency-Key는 1~{1}바이트여야 합니다.
    must name one user: {"clientUids":["kim01"]}
    = 고객 한 명을 지정해야 합니다(예: {"clientUids":["kim01"]})
    Devices of {1} may not send. An administrator may allow it: upmc app set {2} --device-sends 10.
    = {1} 앱의 단말은 메시지를 보낼 수 없습니다. 관리자가 허용할 수 있습니다: upmc app set {2} --device-sends 10.
    Messages of {1} are held back until an administrator resumes the app.
    = {1} 앱의 메시지는 관리자가 재개할 때까지 보류됩니다.
    Messages of this app cannot be sent now. Try again in a moment.
    = 이 앱의 메시지를 지금 보낼 수 없습니다. 잠시 후 다시 시도하세요.
    Messages cannot be sent now. Try again in a moment.
    = 메시지를 지금 보낼 수 없습니다. 잠시 후 다시 시도하세요.
    is more than {1} minutes ago; a message that late would not be sent
    = {1}분 넘게 지난 시각입니다. 그렇게 늦은 메시지는 발송되지 않습니다
    is more than {1} days ahead
    = {1}일보다 먼 시각입니다
    is before the first occurrence, {1}
    = 첫 발송({1})보다 이릅니다
    What a confidential message says does not move to a page: make it shorter.
    = 기밀 메시지의 내용은 페이지로 옮길 수 없습니다. 내용을 줄이세요.
    names no uploaded file of this app, or its time is over; upload it with POST /v1/admin/uploads
    = 업로드한 파일이 없거나 보관 기한이 지났습니다. 다시 업로드하세요
    ext could move to a page, but a page is the same for everybody and ext holds variables.
    = EXT에 변수가 있어 모두에게 같은 페이지로 옮길 수 없습니다.
    ext could move to a page of this server if UPMC_PUBLIC_URL were set.
    = UPMC_PUBLIC_URL을 설정하면 EXT를 이 서버의 페이지로 옮길 수 있습니다.
    The audience is too large to be searched for the longest names: recipients whose payload is too large are rejected \
    one by one when the message is sent.
    = 대상이 너무 많아 이름이 가장 긴 수신자를 찾지 못했습니다. 페이로드가 너무 큰 수신자는 발송할 때 개별로 거부됩니다.
    ext does not fit the payload: it moves to a page whose address takes its place.
    = EXT가 페이로드에 들어가지 않아 페이지로 옮기고 그 주소를 보냅니다.
    With mutableContent the text would move to a page, which the app's extension fetches.
    = mutableContent를 쓰면 본문을 페이지로 옮기고 앱의 Extension이 내려받습니다.
    A text in several languages does not move to a page.
    = 여러 언어로 된 본문은 페이지로 옮길 수 없습니다.
    The text could move to a page, but a page is the same for everybody and it holds variables.
    = 본문에 변수가 있어 모두에게 같은 페이지로 옮길 수 없습니다.
    The text could move to a page of this server if UPMC_PUBLIC_URL were set.
    = UPMC_PUBLIC_URL을 설정하면 본문을 이 서버의 페이지로 옮길 수 있습니다.
    The text does not fit the payload: it moves to a page whose address takes its place.
    = 본문이 페이로드에 들어가지 않아 페이지로 옮기고 그 주소를 보냅니다.
    The key "{1}" was used for another request (message {2}). Use a new key for a new message.
    = Idempotency-Key “{1}”은(는) 다른 내용의 요청에 이미 쓰였습니다(메시지 {2}). 새 키로 보내세요.
    An Idempotency-Key must have 1 to {1} bytes.
    = Idempotency-Key는 1~{1}바이트여야 합니다.
    The payload for {1} would have {2} bytes; the network takes {3}. Shorten alert, ext or data by {4} bytes.
    = {1}의 페이로드가 {2}바이트로 한도 {3}바이트를 넘습니다. 내용을 {4}바이트 줄이세요.
    every recipient
    = 모든 수신자
    must be the app of message {1}: {2}
    = 메시지({1}번)와 같은 앱({2})이어야 합니다
    is for a send: POST /v1/admin/messages
    = 발송 요청(POST /v1/admin/messages)에만 쓸 수 있습니다
    There is no message {1}.
    = 메시지 {1}을(를) 찾을 수 없습니다.
    is needed: failed, not-received or not-read
    = 필수 항목입니다(failed, not-received, not-read)
    {1} messages of the lane {2} are waiting or being sent. Try again in a moment.
    = 같은 우선순위({2})의 메시지 {1}건이 대기 또는 발송 중입니다. 잠시 후 다시 시도하세요.
    mutable-content is set, because the app's extension has to fetch the media.
    = 앱의 Extension이 미디어를 내려받도록 mutable-content를 넣었습니다.
    mutable-content needs a Notification Service Extension in the app. It has about 30 seconds and 24 MB of \
    memory; when it fails the notification is shown as it was sent.
    = 앱에 Notification Service Extension이 있어야 합니다. 약 30초와 24MB 안에 처리하지 못하면 알림이 원래대로 표시됩니다.
    ext names a picture, but without mutableContent it is not shown in the notification itself.
    = EXT에 그림이 있지만 mutableContent가 없어 알림 자체에는 표시되지 않습니다.
    The category {1} does something only if the app registers it, or if its Notification Content Extension names \
    it as UNNotificationExtensionCategory.
    = 카테고리 {1}은(는) 앱에 등록되어 있을 때만 동작합니다.
    A push of the type {1} goes to a token of its own: devices that have registered none are skipped as no-token.
    = {1} 유형의 푸시는 별도의 토큰으로 발송됩니다. 그 토큰을 등록하지 않은 단말은 no-token으로 제외됩니다.
    The app needs Apple's entitlement for {1}; without it they are shown like any other.
    = 앱에 Apple의 {1} 권한이 필요합니다. 없으면 일반 알림으로 표시됩니다.
    critical alerts
    = 긴급 알림(critical alerts)
    time-sensitive notifications
    = 시간이 중요한 알림(time-sensitive notifications)
    the app's extension does not report: none of its last {1} accepted iOS alerts with mutable-content was \
    confirmed
    = 앱의 Extension이 수신확인을 보내지 않습니다. 최근 접수된 mutable-content 알림(iOS) {1}건 중 수신확인이 한 건도 없습니다
    In {1} {2}.
    = {1}: {2}.
    Without mutable-content iOS does not start the app's extension: no receipt comes from an iPhone whose app is \
    not in front.
    = mutable-content가 없으면 iOS가 앱의 Extension을 실행하지 않아, 앱이 화면에 떠 있지 않은 iPhone에서는 수신확인이 오지 않습니다.
    mutable-content is set, because the app has an extension, which makes the receipt (its setting extension).
    = 앱에 수신확인을 하는 Extension이 있어(설정 extension) mutable-content를 넣었습니다.
    Nearly everybody with an iPhone is sent a short message all the same: use unless: read.
    = iPhone 사용자 거의 모두에게 대체 문자가 발송됩니다. unless: read 조건을 쓰세요.
    Pages and media need an address that devices reach: set UPMC_PUBLIC_URL and start again.
    = 페이지와 미디어에는 단말이 접속할 주소가 필요합니다. 운영자가 UPMC_PUBLIC_URL을 설정해야 합니다.
    does not belong into a {1}: it is given when it is sent
    = {1}에는 쓸 수 없습니다. 보낼 때 지정하세요
    draft
    = 초안
    sender
    = 발신자
    template
    = 템플릿
    is needed: what its messages bear
    = 필수 항목입니다. 이 발신자의 메시지에 표시됩니다
    belongs to senders only; put it into the message
    = 발신자에만 쓰는 항목입니다. 메시지 안에 입력하세요
    must have 1 to 64 bytes
    = 1~64바이트여야 합니다
    There is no {1} {2}.
    = {1} {2}을(를) 찾을 수 없습니다.
    must be an object: a message
    = 메시지 객체여야 합니다
    The app has no template {1}.
    = 앱에 템플릿 {1}이(가) 없습니다.
    The app {1} has no uploaded file {2}.
    = {1} 앱에 업로드한 파일 {2}이(가) 없습니다.
    The message {1} is not finished and {2}. Wait for its end, or cancel it first.
    = 메시지({1}번)가 아직 끝나지 않았고 {2}. 끝난 뒤에 삭제하거나 먼저 취소하세요.
    shows the file
    = 이 파일을 표시합니다
    goes to the file's users
    = 이 파일의 고객에게 발송됩니다
    The body is empty; it should be the file itself.
    = 파일이 비어 있습니다.
    The file is nothing that a notification can show. It can show {1}; not WebP or HEIC.
    = 알림에 표시할 수 없는 파일입니다. {1}만 쓸 수 있습니다(WebP, HEIC 불가).
    Content-Type says {1}, but the file is {2}. Send it as what it is.
    = 파일의 형식({2})이 확장자나 표시된 형식({1})과 다릅니다. 올바른 파일을 선택하세요.
    The file has {1} bytes; a notification shows {2} of at most {3} bytes.
    = 파일이 {1}바이트입니다. {3}바이트까지 표시할 수 있습니다({2}).
    The app {1} has no room for this file: with it, its uploads take {2} MiB of at most {3} MiB. Delete some, or wait until some expire.
    = {1} 앱의 업로드 저장 공간이 부족합니다. 이 파일까지 저장하면 {2} MiB로 한도({3} MiB)를 넘습니다. 사용하지 않는 파일을 삭제하거나 만료될 때까지 기다리세요.
    expiresIn must be an ISO 8601 duration from PT1M to P366D, for example P30D.
    = expiresIn은 PT1M~P366D 사이의 ISO 8601 기간이어야 합니다(예: P30D).
    Name the app in the address: /v1/admin/uploads?appId=…
    = 주소에 앱을 지정하세요: /v1/admin/uploads?appId=…
    The message was cancelled.
    = 메시지가 취소되었습니다.
    is needed: {"perSecond":n}, or null for none
    = 필수 항목입니다: {"perSecond":n} 또는 제한하지 않으려면 null
    Cannot {1} message {2}: it is {3}.
    = 메시지({2}번)는 현재 {3} 상태여서 {1}할 수 없습니다.
    It waits for a second person: somebody else approves or rejects it among the approvals.
    = 다른 사람의 승인을 기다리고 있습니다. 승인 메뉴에서 처리하세요.
    Cancel it if it is not to go out.
    = 발송하지 않으려면 취소하세요.
    It goes out when it is due.
    = 예약 시각에 발송됩니다.
    Wait until it has ended, or cancel it.
    = 끝날 때까지 기다리거나 취소하세요.
    {1} must be one of {2}.
    = {1}은(는) 다음 중 하나여야 합니다: {2}.
    {1} must be a time such as 2026-12-24T09:00:00+09:00, not "{2}".
    = {1}은(는) 2026-12-24T09:00:00+09:00과 같은 시각이어야 합니다(입력: {2}).
    More than {1} campaigns were requested then. Ask for a shorter time, or for one app.
    = 그 기간의 캠페인이 {1}건을 넘습니다. 기간을 줄이거나 앱을 하나 선택하세요.
    from must be earlier than to.
    = 시작일은 종료일보다 앞서야 합니다.
    At most {1} days can be asked for at once.
    = 한 번에 {1}일까지 조회할 수 있습니다.
    Who got message {1} is not kept any more: the time for which history is kept is over, or it was sent with \
    dbIn false. Its numbers are at /v1/admin/messages/{2}.
    = 메시지({1}번)의 수신자 이력은 보관 기간이 지났거나 dbIn: false로 발송되어 남아 있지 않습니다. 수치는 /v1/admin/messages/{2}에서 볼 수 있습니다.
    By {1} at most {2} days can be asked for at once. Take a larger unit.
    = 이 단위({1})로는 한 번에 {2}일까지 조회할 수 있습니다. 더 큰 단위를 선택하세요.
    The report would have more than {1} rows. Ask for a shorter time, or for one app.
    = 결과가 {1}줄을 넘습니다. 기간을 줄이거나 앱을 하나 선택하세요.
    state must be one of {1}.
    = state는 다음 중 하나여야 합니다: {1}.
    The webhook is switched off; nothing is sent to it. Set active to true first.
    = 웹훅이 꺼져 있습니다. 먼저 켜세요.
    There is no webhook {1}.
    = 웹훅 {1}을(를) 찾을 수 없습니다.
    Say what to replay: exactly one of {"dead":true}, {"since":…}, {"id":…}.
    = 다시 보낼 이벤트를 하나만 지정하세요: {"dead":true}, {"since":…}, {"id":…}.
    must be an event's id (a UUID)
    = 이벤트 ID(UUID)여야 합니다
    is needed, for example https://sms.example.com/upmc
    = 필수 항목입니다(예: https://sms.example.com/upmc)
    is needed: some of {1}
    = 필수 항목입니다. 다음 중에서 선택하세요: {1}
    cannot be changed
    = 바꿀 수 없습니다
    is one more than the {1} that may be named
    = 최대 {1}개까지 쓸 수 있습니다
    must name one at least
    = 하나 이상 선택하세요
    Give url, kinds, active or renewSecret.
    = 변경할 항목(url, kinds, active, renewSecret)을 입력하세요.
    A webhook's number is a whole number, as its creation answered it.
    = 올바른 웹훅 번호가 아닙니다. 목록에서 다시 선택하세요.
    must be an address like https://sms.example.com/upmc, without a user, percent-encoded where needed, of at \
    most {1} bytes
    = https://sms.example.com/upmc와 같은 주소여야 합니다(사용자 이름 없이, 최대 {1}바이트)
    This server has no master key to seal secrets with.
    = 서버에 마스터 키(UPMC_MASTER_KEY)가 없어 비밀 값을 저장할 수 없습니다. 관리자에게 문의하세요.
    A SEQNO is a whole number, as the send answered it.
    = 올바른 메시지 번호(SEQNO)가 아닙니다. 목록에서 다시 선택하세요.
    An audience file is named by a whole number, as lists show it.
    = 올바른 파일 번호가 아닙니다. 목록에서 다시 선택하세요.
    This server has no way to Apple's channels.
    = 이 서버에서는 Apple의 채널을 사용할 수 없습니다.
    The app has no APNs credential, so Apple was not asked. Store one: `upmc app credential {1} --apns-key …`, \
    or on the app's page of the console.
    = 앱에 APNs 인증 정보가 없어 Apple에 요청하지 않았습니다. 콘솔의 앱 페이지나 `upmc app credential {1} --apns-key …`로 등록하세요.
    Apple was not asked: there is no provider token now. Try again in a minute.
    = 인증 토큰이 없어 Apple에 요청하지 않았습니다. 1분 후 다시 시도하세요.
    The app's APNs credential cannot be used, so Apple was not asked: {1}. Store it again: `upmc app credential \
    {2} --apns-key …`, or on the app's page of the console.
    = 앱의 APNs 인증 정보를 쓸 수 없어 Apple에 요청하지 않았습니다({1}). 콘솔의 앱 페이지나 `upmc app credential {2} --apns-key …`로 다시 등록하세요.
    The app has {1} channels at Apple already (CannotCreateChannelConfig). Delete some.
    = Apple에 등록된 앱의 채널이 이미 {1}개입니다(CannotCreateChannelConfig). 끝난 채널을 삭제하세요.
    Apple asks to wait ({1}). Try again in a minute.
    = Apple이 대기를 요청했습니다({1}). 1분 후 다시 시도하세요.
    Apple is in trouble ({1}). Try again in a minute.
    = Apple 서버에 문제가 있습니다({1}). 1분 후 다시 시도하세요.
    Apple refuses it: {1}. Look whether the app's identifier has the broadcast capability and whether key, team \
    and app id belong together.
    = Apple이 거부했습니다({1}). 앱 ID에 브로드캐스트 기능이 있는지, 키·팀·앱 ID가 서로 맞는지 확인하세요.
    Apple was not asked: {1}.
    = Apple에 요청하지 않았습니다: {1}.
    Apple has not answered ({1}). What was asked may be done: look at GET \
    /v1/admin/apps/{appId}/channels-at-apple before you repeat it.
    = Apple이 응답하지 않았습니다({1}). 처리되었을 수 있으니 GET /v1/admin/apps/{appId}/channels-at-apple에서 확인한 뒤 다시 시도하세요.
    Apple's answer (status {1}) is not understood.
    = Apple의 응답(상태 {1})을 이해할 수 없습니다.
    Apple's answer is not understood.
    = Apple의 응답을 이해할 수 없습니다.
    A {1}'s id is a whole number, as lists show it.
    = 올바른 {1} 번호가 아닙니다. 목록에서 다시 선택하세요.
    """
}
