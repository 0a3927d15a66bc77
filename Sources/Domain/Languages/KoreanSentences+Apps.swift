/// Korean sentences about apps, devices, users, groups, segments, files and imports.
extension KoreanSentences {
  static let apps = """
    Type the app's id again: ?confirm={1}. Nothing was deleted.
    = 앱 ID를 한 번 더 입력하세요: ?confirm={1}. 삭제하지 않았습니다.
    graceDays is a whole number of days from {1} to {2}.
    = 유예 기간(graceDays)은 {1}~{2}일의 정수입니다.
    The app {1} is being deleted already; `upmc app list` says when its grace ends.
    = 앱 {1}은(는) 이미 삭제 대기 중입니다. 유예 기간은 앱 목록(`upmc app list`)에서 확인하세요.
    The app {1} is not being deleted: nothing can be taken back.
    = 앱 {1}은(는) 삭제 대기 중이 아니므로 복원할 것이 없습니다.
    The app {1} is being removed since its grace has ended: nothing can be taken back.
    = 앱 {1}은(는) 유예 기간이 끝나 삭제되고 있으므로 복원할 수 없습니다.
    A credential for one app can neither delete an app nor take that back.
    = 한 앱의 권한으로는 앱을 삭제하거나 복원할 수 없습니다.
    The app {1} is {2}: nothing of it is changed or sent any more. Until its grace ends, an administrator can \
    take that back: upmc app restore {3}.
    = 앱 {1}은(는) 삭제 중({2})이어서 변경하거나 발송할 수 없습니다. 유예 기간 안에는 관리자가 복원할 수 있습니다: upmc app restore {3}.
    Without appId, say how the CUID (prefix) or the name (name) begins.
    = appId를 생략하려면 CUID(prefix)나 이름(name)의 앞부분을 입력하세요.
    Without appId there is one page, and no cursor.
    = appId를 생략하면 결과가 한 페이지뿐이므로 cursor를 쓸 수 없습니다.
    A credential for one app cannot make another.
    = 한 앱의 권한으로는 다른 앱을 만들 수 없습니다.
    must be a bundle identifier or package name: 1 to {1} letters, digits, full stops, hyphens and underscores
    = 번들 ID 또는 패키지 이름이어야 합니다: 영문자, 숫자, 마침표, 하이픈, 밑줄 1~{1}자
    must be an IANA time zone such as Asia/Seoul, not "{1}"
    = Asia/Seoul과 같은 IANA 시간대여야 합니다(입력: {1})
    is longer than {1} bytes; a .p12 file has about 3,200
    = {1}바이트를 넘을 수 없습니다(.p12 파일은 약 3,200바이트)
    must be a push certificate with its private key, as a .p12 archive or in PEM, and the passphrase that opens \
    it ({1})
    = 개인 키가 든 푸시 인증서(.p12 또는 PEM)와 올바른 암호여야 합니다({1})
    is no push certificate of Apple's: it names no topic ({1})
    = Apple의 푸시 인증서가 아닙니다. 토픽이 없습니다({1})
    is for {1}, not for {2}
    = {1}용이며 {2}용이 아닙니다
    ended on {1}; make a new one at developer.apple.com, or use a .p8 key
    = {1}에 만료되었습니다. 새 인증서를 만들거나 .p8 키를 쓰세요
    must be the file in base64
    = base64로 인코딩한 파일이어야 합니다
    The app has a former client key already. End that first: `upmc app client-key {1} --end-former`.
    = 앱에 이전 클라이언트 키가 이미 있습니다. 먼저 종료하세요: `upmc app client-key {1} --end-former`.
    The app has no former client key.
    = 앱에 이전 클라이언트 키가 없습니다.
    is longer than {1} bytes; a .p8 file has about 260
    = {1}바이트를 넘을 수 없습니다(.p8 파일은 약 260바이트)
    must be the .p8 file as Apple gave it out: a private key on the curve P-256 in PEM, beginning with \
    -----BEGIN PRIVATE KEY-----
    = Apple에서 받은 .p8 파일이어야 합니다(-----BEGIN PRIVATE KEY-----로 시작하는 P-256 개인 키)
    must be a {1} of Apple's: {2} capital letters and digits
    = Apple의 {1}여야 합니다: 영문 대문자와 숫자 {2}자
    key id
    = 키 ID
    team id
    = 팀 ID
    is for apps that are open: elsewhere a DEVICE_ID moves nobody's pushes
    = 개방형 앱에서만 쓸 수 있습니다
    {1} devices have a user that nobody vouched for in the way of {2}. Observe it first (`upmc app policy {3} \
    --observe {4}`), and look at what it would refuse (`upmc app identity {5}`).
    = {2} 방식으로 확인되지 않은 사용자의 단말이 {1}대 있습니다. 먼저 관찰하여(`upmc app policy {3} --observe {4}`) 무엇이 거부될지 확인하세요(`upmc app \
    identity {5}`).
    {1} devices have a user that nobody vouched for in the way of {2}. They get ordinary messages for 30 days \
    more and then become guests. If that is right, say so: unprovedBindings {3} (`--unproved {4}`).
    = {2} 방식으로 확인되지 않은 사용자의 단말이 {1}대 있습니다. 30일 동안 일반 메시지를 받은 뒤 비회원이 됩니다. 그렇게 하려면 unprovedBindings를 {3}(으)로 \
    지정하세요(`--unproved {4}`).
    A clientUid has 1 to {1} bytes and is not {2}.
    = clientUid는 1~{1}바이트이며 {2}일 수 없습니다.
    must be from PT1S to PT15M
    = PT1S~PT15M 사이여야 합니다
    The app {1} has no credential for {2}.
    = {1} 앱에 {2} 인증 정보가 없습니다.
    There is no API key {1}.
    = API 키 {1}을(를) 찾을 수 없습니다.
    is longer than {1} bytes; a service account's file has about 2,400
    = {1}바이트를 넘을 수 없습니다(서비스 계정 파일은 약 2,400바이트)
    There is no app {1}.
    = {1} 앱을 찾을 수 없습니다.
    Name a setting: {"deviceSends":10}.
    = 변경할 설정을 입력하세요(예: {"deviceSends":10}).
    must be null, or from {1} to {2}
    = null 또는 {1}~{2} 사이여야 합니다
    There is no app {1}. Make it with `upmc app create {2} --name …`.
    = {1} 앱을 찾을 수 없습니다. 앱 ID({2})를 확인하거나 앱을 등록하세요.
    This app's server vouches for every user: have it make a userProof with the app's secret, or a voucher (POST \
    /v1/admin/users/{clientUid}/vouchers) just before the device names the user.
    = 앱 서버가 모든 사용자를 확인하는 앱입니다. 단말이 사용자를 등록하기 직전에 앱의 비밀 키로 userProof를 만들거나 바우처(POST \
    /v1/admin/users/{clientUid}/vouchers)를 발급하세요.
    The userProof (USERPROOF) does not fit this clientUid, or it has expired. Ask the app's server for a new one.
    = userProof(USERPROOF)가 이 clientUid와 맞지 않거나 만료되었습니다. 앱 서버에서 새로 받으세요.
    An AUTHKEY that was asked for by the PSID alone does not open this. Register first (with the user's proof or \
    voucher) and use the AUTHKEY of that answer, or send USERPROOF along.
    = PSID만으로 받은 AUTHKEY로는 할 수 없습니다. 먼저 사용자 확인 정보나 바우처로 등록하여 받은 AUTHKEY를 쓰거나 USERPROOF를 함께 보내세요.
    This authKey proves no more than knowledge of the device's token. Return a push that was sent since the \
    registration (POST /v1/devices/{device}/possession): the answer has the key that this call needs.
    = 이 authKey로는 단말의 토큰을 안다는 것만 확인됩니다. 등록 후 받은 푸시를 POST /v1/devices/{device}/possession으로 \
    되돌려 보내면 이 호출에 필요한 키를 받습니다.
    This server cannot ask Apple. Store the key without `check`.
    = 이 서버는 Apple에 연결할 수 없습니다. 확인 없이 키를 저장하세요.
    Apple could not be asked ({1}). Nothing was changed.
    = Apple에 연결할 수 없습니다({1}). 변경된 내용은 없습니다.
    is refused by Apple ({1}), and the old key stays: look at key, key id, team id and the app's id
    = Apple이 거부하여({1}) 기존 키를 유지합니다. 키, 키 ID, 팀 ID, 앱 ID를 확인하세요
    Apple could not be asked ({1}), and the old key stays. Try again.
    = Apple에 연결할 수 없어({1}) 기존 키를 유지합니다. 다시 시도하세요.
    is the name of another group too
    = 같은 이름의 그룹이 있습니다
    names somebody twice
    = 같은 사람이 두 번 있습니다
    names GUEST, which means: no user
    = GUEST는 고객 ID로 쓸 수 없습니다
    This token belongs to a device of another user.
    = 다른 사용자의 단말에 등록된 토큰입니다.
    Register the device first (POST /v1/devices).
    = 먼저 단말을 등록하세요(POST /v1/devices).
    This authKey has ended. Register again to get a new one.
    = authKey가 만료되었습니다. 다시 등록하여 새로 받으세요.
    This device does not belong to {1}. Register the user again.
    = {1}의 단말이 아닙니다. 사용자를 다시 등록하세요.
    A device without a user may not send. Register its user first.
    = 사용자가 없는 단말은 보낼 수 없습니다. 먼저 사용자를 등록하세요.
    is no token of {1}
    = {1}의 토큰이 아닙니다
    The app has no group {1}.
    = 앱에 그룹 {1}이(가) 없습니다.
    Devices do not join the group {1} by themselves: the app's server puts its members in.
    = 단말이 직접 가입할 수 없는 그룹({1})입니다. 앱 서버에서 구성원을 등록합니다.
    A device of this app may send {1} messages a minute. Try again in {2} seconds.
    = 이 앱의 단말은 분당 {1}건까지 보낼 수 있습니다. {2}초 후 다시 시도하세요.
    That push was not sent to this device since it named its user. Bring back the one that comes next.
    = 사용자를 등록한 뒤 이 단말로 보낸 푸시가 아닙니다. 다음에 오는 푸시를 쓰세요.
    Too many new devices of {1} have registered from this address. Devices that are known are served.
    = 이 IP에서 {1} 앱의 새 단말이 너무 많이 등록되었습니다. 이미 등록된 단말은 계속 이용할 수 있습니다.
    Too many new devices of {1} have registered in the last hour. Devices that are known are served.
    = 최근 한 시간 동안 {1} 앱의 새 단말이 너무 많이 등록되었습니다. 이미 등록된 단말은 계속 이용할 수 있습니다.
    The app {1} has no device {2}.
    = {1} 앱에 단말 {2}이(가) 없습니다.
    This authKey has ended. Register with the app's client key.
    = authKey가 만료되었습니다. 앱의 클라이언트 키로 등록하세요.
    This token belongs to a device that has a user. Register with that device's authKey, or have the app's \
    server vouch for the user (userProof, or a voucher).
    = 사용자가 있는 단말의 토큰입니다. 그 단말의 authKey로 등록하거나 앱 서버에서 사용자를 확인하세요(userProof 또는 바우처).
    The app {1} knows nothing of {2}.
    = {1} 앱에 {2}에 관한 정보가 없습니다.
    A clientUid has at most {1} bytes: nobody has this one.
    = CUID는 {1}바이트까지입니다.
    The telephone number does not open with this server's master key.
    = 이 서버의 마스터 키로 전화번호를 열 수 없습니다. 관리자에게 문의하세요.
    must be from {1} to {2}
    = {1}~{2} 사이여야 합니다
    The app {1} has no user {2}.
    = {1} 앱에 사용자 {2}이(가) 없습니다.
    psid must be the first {1} characters of a push token, as lists show them, or all of it.
    = 토큰은 앞 {1}자리 또는 전체를 입력하세요.
    There is no device {1}.
    = 단말 {1}을(를) 찾을 수 없습니다.
    The app {1} has no group {2}.
    = {1} 앱에 그룹 {2}이(가) 없습니다.
    What was uploaded could not be read again ({1}). Send it once more.
    = 업로드한 파일을 읽을 수 없습니다({1}). 다시 업로드하세요.
    The file is UTF-16. Save it as UTF-8 ("CSV UTF-8" in a spreadsheet).
    = UTF-8 파일이 아닙니다. UTF-8로 저장하세요.
    The file is empty.
    = 파일이 비어 있습니다.
    There is no uploaded file {1} of this app, or it has expired. Upload it again.
    = 업로드한 파일이 없거나 보관 기한이 지났습니다({1}). 다시 업로드하세요.
    The file has no line with a user.
    = 사용자가 있는 줄이 없습니다.
    {1} lines of the file are wrong, the first of them: line {2} {3}. Fix them, and send the whole file again.
    = 파일에 잘못된 줄이 {1}개 있습니다. 첫 번째는 {2}번째 줄입니다: {3}. 고친 뒤 파일 전체를 다시 보내세요.
    {1} lines of the file are wrong, the first of them: line {2} {3}. Fix them, or send the others with \
    skipErrors=true.
    = 파일에 잘못된 줄이 {1}개 있습니다. 첫 번째는 {2}번째 줄입니다: {3}. 고치거나 skipErrors=true로 나머지만 보내세요.
    Give what is to change: name, parent, or joinable.
    = 변경할 항목(name, parent, joinable)을 입력하세요.
    The group {1} cannot move below itself: {2} belongs to it.
    = 그룹({1})을 자기 하위 그룹({2}) 아래로 옮길 수 없습니다.
    The group {1} has groups below it. Move or delete them first.
    = 그룹 {1}에 하위 그룹이 있습니다. 먼저 옮기거나 삭제하세요.
    Unfinished messages name the group {1} or one above it in their audience: {2}. Cancel or replace them, or wait \
    until they are sent.
    = 발송이 끝나지 않은 메시지의 대상에 그룹 {1}이나 그 상위 그룹이 있습니다: {2}. 메시지를 취소하거나 변경하거나, 발송이 끝난 뒤에 다시 시도하세요.
    Requests that wait for approval name the group {1} or one above it in their audience: {2}. Approve or reject them \
    first.
    = 승인 대기 중인 요청의 대상에 그룹 {1}이나 그 상위 그룹이 있습니다: {2}. 먼저 승인하거나 반려하세요.
    is more than {1}; send several requests
    = 최대 {1}개까지 쓸 수 있습니다. 나누어 요청하세요
    There is no group {1}.
    = 그룹 {1}을(를) 찾을 수 없습니다.
    The app {1} has no segment {2}.
    = {1} 앱에 세그먼트 {2}이(가) 없습니다.
    is not needed to count
    = 인원을 셀 때는 필요하지 않습니다
    Give name, conditions or both.
    = 변경할 항목(name, conditions)을 입력하세요.
    There is no segment {1}.
    = 세그먼트 {1}을(를) 찾을 수 없습니다.
    Give add, remove or set: which tags.
    = 변경할 태그(add, remove, set)를 입력하세요.
    names a tag that add names too
    = add에도 있는 태그입니다
    The app {1} has no such device.
    = {1} 앱에 없는 단말입니다.
    must be users, members or devices
    = users, members, devices 중 하나여야 합니다
    must be UTF-8 or CP949
    = UTF-8 또는 CP949여야 합니다
    is needed: whose members the file names
    = 가져올 그룹을 선택하세요
    does not belong here: users name their groups in the file
    = 사용자 가져오기에는 그룹을 지정할 수 없습니다. 파일에 적으세요
    does not belong here: devices are in no group by file
    = 단말 가져오기에는 그룹을 지정할 수 없습니다
    A part of an import has at most {1} bytes. Cut the file smaller.
    = 가져오기의 한 조각은 {1}바이트까지입니다. 파일을 나누세요.
    An import that skips no wrong lines has at most {1} parts, for it is brought in at once. Cut the file into \
    several.
    = 잘못된 줄을 건너뛰지 않는 가져오기는 {1}조각까지입니다. 파일을 나누세요.
    The app {1} has no room for this part: of its unfinished imports, {2} parts of at most {3} are stored. Finish \
    or cancel some of them, or wait: their parts are deleted 30 days after they began.
    = {1} 앱에 끝나지 않은 가져오기의 조각이 {2}개 있어 한도({3}개)에 이르렀습니다. 진행 중인 가져오기를 끝내거나 취소하세요. 또는 시작한 지 30일이 지나 삭제될 때까지 기다리세요.
    The import {1} is cancelled. Begin a new one.
    = 가져오기 {1}은(는) 취소되었습니다. 새로 시작하세요.
    The import {1} is finished.
    = 가져오기 {1}은(는) 이미 끝났습니다.
    The import {1} began more than 30 days ago, and its lines are deleted by now. Begin a new one.
    = 가져오기 {1}은(는) 시작한 지 30일이 지나 받은 내용이 삭제되었습니다. 새로 시작하세요.
    The next part of import {1} is number {2}.
    = 가져오기 {1}의 다음 조각은 {2}번입니다.
    There is no import {1}.
    = 가져오기 {1}을(를) 찾을 수 없습니다.
    A GROUPSEQ is a whole number, as lists show it.
    = 올바른 그룹 번호(GROUPSEQ)가 아닙니다. 목록에서 다시 선택하세요.
    A GROUPSEQ is a whole number.
    = GROUPSEQ는 정수입니다.
    parent must be a GROUPSEQ.
    = parent는 GROUPSEQ여야 합니다.
    name cannot stand beside parent.
    = name은 parent와 함께 쓸 수 없습니다.
    name cannot stand beside prefix.
    = name은 prefix와 함께 쓸 수 없습니다.
    A device's id is a UUID, as lists show it.
    = 올바른 단말 ID가 아닙니다. 목록에서 다시 선택하세요.
    Say whose devices: /v1/admin/quarantine?appId=…
    = 주소에 앱을 지정하세요: /v1/admin/quarantine?appId=…
    must be true, or left out
    = true이거나 생략해야 합니다
    Give one of device, since, reason and all: which devices to release.
    = 복귀할 대상을 하나만 지정하세요: device, since, reason, all.
    This server has no master key to seal credentials with.
    = 서버에 마스터 키(UPMC_MASTER_KEY)가 없어 인증 정보를 저장할 수 없습니다. 관리자에게 문의하세요.
    Give one of apnsKey, apnsCertificate and fcmServiceAccount.
    = APNs 키, APNs 인증서, FCM 서비스 계정 중 하나를 선택하세요.
    pnsId must be one of {1}.
    = pnsId는 다음 중 하나여야 합니다: {1}.
    Say for which app: /v1/admin/audiences/csv?appId=…
    = 주소에 앱을 지정하세요: /v1/admin/audiences/csv?appId=…
    Send the file itself with Content-Type: text/csv.
    = 파일을 Content-Type: text/csv로 보내세요.
    A segment's number is a whole number, as its creation answered it.
    = 올바른 세그먼트 번호가 아닙니다. 목록에서 다시 선택하세요.
    Say whose tags: /v1/admin/tags?appId=…&clientUid=… or …&device=…
    = 주소에 대상을 지정하세요: /v1/admin/tags?appId=…&clientUid=… 또는 …&device=…
    device must be a device's id, a UUID.
    = device는 단말 ID(UUID)여야 합니다.
    Name either clientUid or device.
    = clientUid와 device 중 하나만 지정하세요.
    GUEST is nobody; tag the device
    = GUEST는 고객이 아닙니다. 단말에 태그를 지정하세요
    is one more than the {1} of one call
    = 한 번에 최대 {1}개까지 요청할 수 있습니다
    is one more than the {1} tags that anybody may have
    = 태그는 최대 {1}개까지 지정할 수 있습니다
    Give either clientUids or devices: whose tags.
    = clientUids와 devices 중 하나만 지정하세요.
    says all tags; it cannot stand beside add or remove
    = 전체 태그 지정은 추가·제거와 함께 쓸 수 없습니다
    Send a part of the file with Content-Type: text/csv.
    = 파일의 조각을 Content-Type: text/csv로 보내세요.
    Parts are counted from 1: …/parts/1
    = 조각 번호는 1부터입니다: …/parts/1
    last must be true or false.
    = last는 true 또는 false여야 합니다.
    An import's id is a whole number, as lists show it.
    = 올바른 가져오기 번호가 아닙니다. 목록에서 다시 선택하세요.
    is one more than the {1} that a call may confirm
    = 한 번에 최대 {1}건까지 확인할 수 있습니다
    must have at least one entry
    = 하나 이상 있어야 합니다
    is only for update and force
    = update와 force에만 쓸 수 있습니다
    must be keep, reset, update or force
    = keep, reset, update, force 중 하나여야 합니다
    must be an APNs token in hex
    = 16진수로 된 APNs 토큰이어야 합니다
    An activity's id has 1 to {1} letters, digits and . _ ~ : - characters.
    = 실시간 현황의 ID는 영문자, 숫자와 . _ ~ : - 1~{1}자입니다.
    There are these kinds of tokens: {1}.
    = 토큰의 종류는 다음과 같습니다: {1}.
    A device id is a UUID, as the registration answered it.
    = 단말 ID는 등록할 때 받은 UUID입니다.
    Send the authKey that the registration answered.
    = 등록할 때 받은 authKey를 보내세요.
    This authKey belongs to another device.
    = 다른 단말의 authKey입니다.
    Send "Authorization: Bearer …".
    = "Authorization: Bearer …"를 보내세요.
    The app was deleted meanwhile.
    = 그 사이 앱이 삭제되었습니다.
    This pushkey is not that of the message {1} for this token.
    = 이 토큰으로 보낸 메시지({1}번)의 pushkey가 아닙니다.
    Send the app's client key, as `upmc app create` printed it.
    = `upmc app create`가 출력한 앱의 클라이언트 키를 보내세요.
    This client key belongs to another app than {1}.
    = {1} 앱의 클라이언트 키가 아닙니다.
    This authKey belongs to another device. Register with the app's client key.
    = 다른 단말의 authKey입니다. 앱의 클라이언트 키로 등록하세요.
    must be an APNs device token in hex
    = 16진수로 된 APNs 단말 토큰이어야 합니다
    must be an FCM token
    = FCM 토큰이어야 합니다
    needs a clientUid
    = clientUid가 함께 필요합니다
    """
}
