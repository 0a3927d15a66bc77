/// Korean sentences about invalid values, from `JSON`, `Domain`, `HTTPServer` and `HTTPClient`.
extension KoreanSentences {
  static let fields = """
    has more than {1} combining marks in a row
    = 결합 문자가 {1}개를 넘게 이어집니다
    must be a whole number
    = 정수여야 합니다
    is too large a number
    = 너무 큰 숫자입니다
    must have exactly one of {1}
    = 다음 중 하나만 있어야 합니다: {1}
    is needed
    = 필수 항목입니다
    must not be empty
    = 비워 둘 수 없습니다
    is longer than {1} bytes
    = {1}바이트를 넘을 수 없습니다
    must be one of {1}
    = 다음 중 하나여야 합니다: {1}
    must be true
    = true여야 합니다
    must be a whole number from {1} to {2}
    = {1}~{2} 사이의 정수여야 합니다
    is not known
    = 알 수 없는 값입니다
    must be an object
    = JSON 객체여야 합니다
    is one more than the {1} that there may be
    = 최대 {1}개까지 쓸 수 있습니다
    must have {1} at least
    = {1}개 이상이어야 합니다
    must be a string
    = 텍스트여야 합니다
    the text ends inside a string
    = 문자열이 끝나기 전에 텍스트가 끝납니다
    holds a control character; write it as \\uXXXX
    = 제어 문자가 있습니다. \\uXXXX로 쓰세요
    is not UTF-8
    = UTF-8이 아닙니다
    holds an unknown escape
    = 알 수 없는 이스케이프가 있습니다
    holds half a surrogate pair
    = 짝이 없는 서로게이트 문자가 있습니다
    holds U+0000, which cannot be stored
    = 쓸 수 없는 문자(U+0000)가 있습니다
    holds a \\u escape without four hex digits
    = \\u 뒤에 16진수 네 자리가 없습니다
    the text ends where a value should begin
    = 값이 있어야 할 곳에서 텍스트가 끝납니다
    not a JSON value at byte {1}
    = {1}번째 바이트에 있는 값은 JSON이 아닙니다
    an object needs names in quotes (byte {1})
    = 객체의 이름은 따옴표로 묶어야 합니다({1}번째 바이트)
    is given twice
    = 두 번 입력되었습니다
    has more than {1} members
    = 항목이 {1}개를 넘습니다
    a colon is missing at byte {1}
    = {1}번째 바이트에 콜론이 없습니다
    a comma or closing brace is missing at byte {1}
    = {1}번째 바이트에 쉼표나 닫는 중괄호가 없습니다
    must be an array
    = JSON 배열이어야 합니다
    a comma or closing bracket is missing at byte {1}
    = {1}번째 바이트에 쉼표나 닫는 대괄호가 없습니다
    something follows the JSON text at byte {1}
    = JSON 뒤에 다른 내용이 있습니다({1}번째 바이트)
    must be true or false
    = true 또는 false여야 합니다
    is nested deeper than {1}
    = {1}단계보다 깊게 중첩되었습니다
    is not a number
    = 숫자가 아닙니다
    is not a known field
    = 알 수 없는 항목입니다
    has a host that is neither a name nor a whole address
    = 호스트가 이름도 완전한 주소도 아닙니다
    leads to a private network, and UPMC_WEBHOOK_PRIVATE does not allow it
    = 사설망 주소입니다. 운영자가 UPMC_WEBHOOK_PRIVATE로 허용해야 합니다
    must begin with https: plain http goes only to networks that UPMC_WEBHOOK_PRIVATE allows
    = https://로 시작해야 합니다. http는 운영자가 허용한 내부망(UPMC_WEBHOOK_PRIVATE)에서만 쓸 수 있습니다
    What follows the ? is not percent-encoded UTF-8, or holds too much. {1}
    = 주소의 ? 뒤가 퍼센트 인코딩한 UTF-8이 아니거나 너무 깁니다. {1}
    "{1}" is no parameter here. {2}
    = 요청에 쓸 수 없는 매개변수(“{1}”)가 있습니다. {2}
    The parameter "{1}" is there twice. Give it once.
    = 매개변수 “{1}”이(가) 두 번 있습니다. 한 번만 쓰세요.
    This call takes no parameters.
    = 이 요청에는 매개변수가 없습니다.
    This call takes {1}.
    = 쓸 수 있는 매개변수: {1}.
    must begin with {1}, for it is an ad
    = 광고이므로 “{1}” 문구로 시작해야 합니다
    must have the opt-out wording "{1}"
    = 수신 거부 방법을 “{1}” 문구로 안내해야 합니다
    GUEST is no audience; use {"members":false}
    = GUEST는 발송 대상이 아닙니다. {"members":false}를 쓰세요
    must be a device id (a UUID)
    = 단말 ID(UUID)여야 합니다
    must be {1}
    = 다음이어야 합니다: {1}
    must be {1}: a whole number from 1
    = 다음이어야 합니다: {1}(1 이상의 정수)
    the number of an uploaded file
    = 업로드한 CSV 파일의 번호
    the number of a saved segment, or an object of conditions
    = 저장된 세그먼트의 번호 또는 조건 객체
    is one more than the {1} that a send may name
    = 한 번에 최대 {1}명까지 발송할 수 있습니다
    must name at least one
    = 하나 이상 입력하세요
    The file has more than {1} lines. Split it into several sends.
    = 파일이 {1}줄을 넘습니다. 나누어 발송하세요.
    has the column "{1}"; there may be CUID, NAME and VAR1 to VAR9, each once
    = “{1}” 열은 쓸 수 없습니다. CUID, NAME, VAR1~VAR9를 한 번씩만 쓸 수 있습니다
    has {1} fields; there may be {2}
    = 항목이 {1}개입니다. {2}개까지 쓸 수 있습니다
    has a VAR{1} longer than {2} bytes
    = VAR{1} 값이 {2}바이트를 넘습니다
    needs a CUID of 1 to {1} bytes
    = 1~{1}바이트의 CUID가 필요합니다
    names GUEST, which is nobody
    = GUEST는 고객 ID로 쓸 수 없습니다
    has a NAME longer than {1} bytes
    = NAME이 {1}바이트를 넘습니다
    is not text in the encoding of its file (UTF-8 or CP949): correct it, and save the file as UTF-8
    = 파일의 인코딩(UTF-8 또는 CP949)에 맞지 않는 글자가 있습니다. 고친 뒤 파일을 UTF-8로 저장하세요
    has more than {1} bytes
    = {1}바이트를 넘습니다
    has a quote that is never closed
    = 따옴표가 닫히지 않았습니다
    has a quote that is not closed within {1} bytes
    = 따옴표가 {1}바이트 안에서 닫히지 않았습니다
    has more than {1} fields
    = 항목이 {1}개를 넘습니다
    has text behind a closing quote
    = 닫는 따옴표 뒤에 글자가 있습니다
    must have one of devices, percent
    = devices와 percent 중 하나만 있어야 합니다
    What this message said was confidential and is wiped: the message is over. Send a new one.
    = 기밀 메시지의 내용은 발송이 끝나 삭제되었습니다. 새 메시지를 보내세요.
    A confidential message does not open with this server's keys. Was it moved from another app?
    = 이 서버의 키로 기밀 메시지를 열 수 없습니다. 관리자에게 문의하세요.
    must be a number in quotes: a whole number from 1
    = 따옴표로 묶은 1 이상의 정수여야 합니다
    must be a device's id, as lists show it
    = 목록에 표시되는 단말 ID여야 합니다
    must be a time with its offset, for example 2026-12-24T09:00:00+09:00
    = 시간대가 있는 시각이어야 합니다(예: 2026-12-24T09:00:00+09:00)
    is needed: {"all":true}, {"clientUids":[…]} …
    = 필수 항목입니다(예: {"all":true}, {"clientUids":[…]})
    needs an alert: there would be nothing to read there
    = 제목이나 내용이 있는 메시지만 메시지함에 보관할 수 있습니다
    cannot be had for a confidential message, which is wiped when it is over and never in an inbox: leave one of \
    both out
    = 기밀 메시지는 발송이 끝나면 삭제되므로 메시지함에 보관할 수 없습니다. 둘 중 하나를 해제하세요
    needs an audience that names users or devices
    = 고객이나 단말을 지정한 대상에만 쓸 수 있습니다
    needs sms: true
    = sms: true가 필요합니다
    cannot stand beside sendAt
    = sendAt과 함께 쓸 수 없습니다
    must differ from from
    = 시작과 끝이 달라야 합니다
    needs sendAt or localTime: when it happens first
    = 첫 발송 시각(sendAt 또는 localTime)이 필요합니다
    must be {"perSecond":n} or {"devices":n,"wait":"PT30S"}
    = {"perSecond":n} 또는 {"devices":n,"wait":"PT30S"} 형식이어야 합니다
    must be an ISO 8601 duration from {1} to {2}, for example PT30S
    = {1}~{2} 사이의 ISO 8601 기간이어야 합니다(예: PT30S)
    is one more than the {1} conditions of a segment
    = 세그먼트의 조건은 최대 {1}개입니다
    is nested deeper than {1} segments
    = 조건을 {1}단계보다 깊게 중첩할 수 없습니다
    must have at least one condition
    = 조건이 하나 이상 필요합니다
    must have at least one segment
    = 조건이 하나 이상 필요합니다
    is one more than the {1} values of a condition
    = 조건 하나의 값은 최대 {1}개입니다
    must have from, before or upTo
    = from, before, upTo 중 하나가 필요합니다
    must have since, before, within or notWithin
    = since, before, within, notWithin 중 하나가 필요합니다
    must have any, all or none
    = any, all, none 중 하나가 필요합니다
    must have notification, ad or nightAd
    = notification, ad, nightAd 중 하나가 필요합니다
    must have 1 to {1} bytes
    = 1~{1}바이트여야 합니다
    must have no control characters, and no blank at either end
    = 제어 문자나 앞뒤 공백을 쓸 수 없습니다
    is one more than the {1} that are kept
    = 최대 {1}개까지 보관합니다
    must be a SEQNO in quotes
    = 따옴표로 묶은 SEQNO여야 합니다
    must be a SEQNO in quotes: a whole number from 1
    = 따옴표로 묶은 SEQNO(1 이상의 정수)여야 합니다
    must be a GROUPSEQ: a whole number from 1
    = GROUPSEQ는 1 이상의 정수입니다
    is needed: day, week or month
    = 필수 항목입니다(day, week, month)
    is needed: the last day, for example 2027-01-31
    = 마지막 날짜가 필요합니다(예: 2027-01-31)
    is needed, for example 08:00
    = 필수 항목입니다(예: 08:00)
    is needed, for example 21:00
    = 필수 항목입니다(예: 21:00)
    must be a time of day, for example 08:00
    = 08:00과 같은 시각이어야 합니다
    must be a time of day, for example 21:00
    = 21:00과 같은 시각이어야 합니다
    must be a date, for example 2027-01-31
    = 2027-01-31과 같은 날짜여야 합니다
    must be a wall clock's time without offset, for example 2026-12-24T09:00
    = 시간대 없는 시각이어야 합니다(예: 2026-12-24T09:00)
    must be letters, digits and . _ ~ : -
    = 영문자, 숫자와 . _ ~ : -만 쓸 수 있습니다
    is needed, or locKey
    = 필수 항목입니다(locKey로 대신할 수 있습니다)
    stands instead of the text itself: give one of them
    = 본문 대신 쓰는 항목입니다. 둘 중 하나만 입력하세요
    needs {1}
    = {1} 항목이 함께 필요합니다
    must be a colour such as #1A73E8
    = #1A73E8 형식의 색상이어야 합니다
    must be a URL that begins with https://, in ASCII
    = https://로 시작하는 ASCII URL이어야 합니다
    must be letters, digits and - _ . ~ %
    = 영문자, 숫자와 - _ . ~ %만 쓸 수 있습니다
    is needed: {"event":"update","timestamp":…}
    = 필수 항목입니다(예: {"event":"update","timestamp":…})
    must be 10 (at once) or 5 (with regard to the battery)
    = 10(즉시) 또는 5(배터리 고려)여야 합니다
    must be update or end: an activity is started on each device, by a message with inputPushChannel
    = update 또는 end여야 합니다. 실시간 현황은 inputPushChannel이 있는 메시지로 시작합니다
    reaches all that follow the channel: activityId and attributesType name none
    = 채널을 구독하는 모두에게 발송됩니다. activityId와 attributesType은 쓸 수 없습니다
    needs an alert
    = 알림 내용이 있어야 합니다
    The payload would have {1} bytes; a channel takes {2}.
    = 페이로드가 {1}바이트로 채널의 한도 {2}바이트를 넘습니다.
    Some fields do not fit together.
    = 함께 쓸 수 없는 항목이 있습니다.
    cannot be in a push of the type {1}
    = {1} 유형의 푸시에는 쓸 수 없습니다
    must be {1} for a push of the type {2}
    = {2} 유형의 푸시에는 다음 값을 쓰세요: {1}
    is needed beside translations, for devices of any other language
    = 다른 언어의 단말을 위한 기본 내용이 필요합니다
    needs the member container-identifier: which files have changed
    = 변경된 파일을 나타내는 container-identifier가 필요합니다
    is needed, unless contentAvailable or badge is set
    = 알림 내용을 입력하세요
    needs an alert: the extension runs only for visible notifications
    = 알림 내용이 있어야 합니다. Extension은 표시되는 알림에만 실행됩니다
    needs an alert: a sound alone would be heard and not explained
    = 알림 내용이 있어야 합니다. 소리만 보낼 수 없습니다
    must be a number from 0 to 1
    = 0~1 사이의 숫자여야 합니다
    cannot be had beside mediaUrl
    = mediaUrl과 함께 쓸 수 없습니다
    must not be false beside media: the app's extension has to fetch it
    = 미디어를 보내려면 mutableContent가 필요합니다
    is made by the server when the message has media
    = 미디어가 있으면 서버가 만드는 항목입니다
    must be a URL that begins with https://, in ASCII: devices fetch nothing else
    = https://로 시작하는 URL이어야 합니다
    is needed for a push of the type liveactivity
    = liveactivity 유형의 푸시에 필요합니다
    is needed to start a Live Activity
    = 실시간 현황을 시작하려면 필요합니다
    cannot be shown by a Live Activity
    = 실시간 현황에는 표시할 수 없습니다
    is needed for a push of the type mdm: the PushMagic of the device
    = mdm 유형의 푸시에는 단말의 PushMagic이 필요합니다
    mdm is for an app whose id is the topic of the MDM push certificate: com.apple.mgmt.…
    = mdm은 앱 ID가 MDM 푸시 인증서의 토픽(com.apple.mgmt.…)인 앱에서만 쓸 수 있습니다
    is needed: start, update or end
    = 필수 항목입니다(start, update, end)
    is needed, in seconds since 1970
    = 필수 항목입니다(1970년부터의 초)
    is needed to start
    = 시작할 때 필요한 항목입니다
    cannot be had beside inputPushToken
    = inputPushToken과 함께 쓸 수 없습니다
    is not for the event start
    = start 이벤트에는 쓸 수 없습니다
    is only for the event start
    = start 이벤트에만 쓸 수 있습니다
    is only for the event end
    = end 이벤트에만 쓸 수 있습니다
    must be a number
    = 숫자여야 합니다
    must be true; for an ordinary sound give its name only
    = true여야 합니다. 일반 소리는 이름만 입력하세요
    must be 10 (at once), 5 (with regard to the battery) or 1 (without waking the device)
    = 10(즉시), 5(배터리 고려), 1(단말을 깨우지 않음) 중 하나여야 합니다
    must be named by a language, such as ko or en-GB
    = ko, en-GB와 같은 언어 태그여야 합니다
    is one more than the {1} languages that a message may have
    = 한 메시지의 언어는 최대 {1}개입니다
    is made by the server
    = 서버가 만드는 항목입니다
    must be VAR1 to VAR9
    = VAR1~VAR9 중 하나여야 합니다
    holds %VAR{1}%: give it in variables, or send to an audience that has it in its lines
    = %VAR{1}% 값이 없습니다. 값을 주거나 그 값이 있는 파일로 보내세요
    must be the JSON file of a service account ({1})
    = 서비스 계정의 JSON 파일이어야 합니다({1})
    must be the JSON file of a service account: its "type" is {1}
    = 서비스 계정의 JSON 파일이어야 합니다("type": {1})
    must be the JSON file of a service account: "{1}" is missing
    = 서비스 계정의 JSON 파일이어야 합니다("{1}" 항목이 없습니다)
    names the project "{1}", which is no project id
    = 프로젝트 ID “{1}”이(가) 올바르지 않습니다
    names {1} as its token_uri: access tokens are got at {2} here. Give the file as Google made it; another \
    address is for the operator to set (UPMC_FCM_TOKEN_URL)
    = 이 token_uri({1})는 쓸 수 없습니다. 이 서버의 주소는 {2}입니다. Google에서 받은 파일을 그대로 올리세요
    holds a "private_key" that is no RSA key of 2048 bits or more in PEM
    = "private_key"가 2048비트 이상의 RSA 키(PEM)가 아닙니다
    must be a version such as 2.10.1
    = 2.10.1과 같은 버전이어야 합니다
    must be printable ASCII, without blanks at its ends
    = 앞뒤 공백 없이 인쇄 가능한 ASCII 문자만 쓸 수 있습니다
    is given twice: letters count without case
    = 두 번 입력되었습니다(대소문자를 구분하지 않습니다)
    """
}
