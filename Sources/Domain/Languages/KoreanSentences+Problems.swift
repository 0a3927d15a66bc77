/// Korean titles of problems, and words that occur in many sentences.
extension KoreanSentences {
  static let problems = """
    Try again in a moment. If this was a send, repeat it with the same Idempotency-Key: it may have been stored.
    = 잠시 후 다시 시도하세요. 발송 요청이었다면 저장되었을 수 있으므로 같은 Idempotency-Key로 다시 보내세요.
    An app with this id exists already; `upmc app list` shows its client key.
    = 이 ID의 앱이 이미 있습니다. 클라이언트 키는 앱 목록(`upmc app list`)에서 확인하세요.
    An app with this id was deleted. The id is never used again: choose another one.
    = 이 ID의 앱은 삭제되었습니다. 삭제한 ID는 다시 쓸 수 없으므로 다른 ID를 정하세요.
    The app is being deleted: nothing of it is changed any more. Until its grace ends, `upmc app restore` takes that \
    back.
    = 삭제 중인 앱이어서 변경할 수 없습니다. 유예 기간 안에는 복원할 수 있습니다(`upmc app restore`).
    The parent has a group of this name already. Choose another name.
    = 상위 그룹에 같은 이름의 그룹이 이미 있습니다. 다른 이름을 정하세요.
    The app has a segment of this name already. Choose another name, or change that one.
    = 같은 이름의 세그먼트가 이미 있습니다. 다른 이름을 정하거나 기존 세그먼트를 변경하세요.
    would give somebody more than {1} tags; users and devices are changed in parts of {2}, and nothing of this \
    part was
    = 한 대상의 태그가 {1}개를 넘습니다. 사용자와 단말은 {2}건씩 변경하며, 이번 묶음은 변경하지 않았습니다
    An account with this login exists already.
    = 이 로그인 ID의 계정이 이미 있습니다.
    The app has a sender of this name already. Choose another name, or change that one.
    = 같은 이름의 발신자가 이미 있습니다. 다른 이름을 정하거나 기존 발신자를 변경하세요.
    This channel of Apple's is known here already, under another name.
    = 이 Apple 채널은 다른 이름으로 이미 등록되어 있습니다.
    The parent group was deleted meanwhile.
    = 그 사이 상위 그룹이 삭제되었습니다.
    A text holds U+0000, which cannot be stored.
    = 저장할 수 없는 문자(U+0000)가 들어 있습니다.
    The database is busy. Try again in a moment.
    = 데이터베이스 사용량이 많습니다. 잠시 후 다시 시도하세요.
    The database's disk is full, and nothing of this was stored. Try again later.
    = 데이터베이스의 디스크가 가득 차 저장하지 못했습니다. 나중에 다시 시도하세요.
    The database's schema does not fit this program. Run `upmc migrate`.
    = 데이터베이스 스키마가 이 프로그램과 맞지 않습니다. `upmc migrate`를 실행하세요.
    The database refused: {1}.
    = 데이터베이스가 거부했습니다: {1}
    The request cannot be read
    = 요청을 이해할 수 없습니다
    A field is not valid
    = 잘못된 항목이 있습니다
    The badge is out of range
    = 배지 범위를 벗어났습니다
    The request is well-formed, but cannot be carried out
    = 수행할 수 없는 요청입니다
    The payload is too large for the push network
    = 페이로드가 너무 큽니다
    A credential is needed
    = 로그인되어 있지 않습니다
    The credential is not valid
    = 인증되지 않았습니다
    A second factor is needed
    = 인증 코드가 필요합니다
    The sign-in was too long ago
    = 다시 로그인해야 합니다
    The user is not vouched for
    = 사용자 확인 정보가 올바르지 않습니다
    The credential does not allow this
    = 권한이 없습니다
    The device belongs to another user
    = 다른 사용자의 단말입니다
    There is nothing here
    = 찾을 수 없습니다
    The app is not known
    = 앱이 없습니다
    The device is not registered
    = 단말이 없습니다
    The user is not known
    = 사용자가 없습니다
    The group does not exist
    = 그룹이 없습니다
    The message does not exist
    = 메시지가 없습니다
    The segment does not exist
    = 세그먼트가 없습니다
    The uploaded file does not exist
    = 파일이 없습니다
    The webhook does not exist
    = 웹훅이 없습니다
    The channel does not exist
    = 채널이 없습니다
    The history of this message is not kept
    = 이력이 보관되지 않습니다
    What the message said is wiped
    = 메시지 내용이 삭제되었습니다
    The request conflicts with the present state
    = 현재 상태와 충돌합니다
    The message is not in a state that allows this
    = 현재 상태에서는 할 수 없습니다
    The idempotency key belongs to another request
    = 이미 다른 내용으로 보낸 요청입니다
    The method is not allowed here
    = 지원하지 않는 요청입니다
    The body is too large
    = 요청이 너무 큽니다
    The media type is not supported
    = 지원하지 않는 파일 형식입니다
    Too many attempts
    = 시도 횟수를 초과했습니다
    The server lacks a setting for this
    = 설정이 필요합니다
    Too many requests
    = 요청이 너무 많습니다
    The server is busy
    = 서버가 요청을 처리할 수 없을 만큼 바쁩니다
    The database cannot be reached
    = 데이터베이스에 연결할 수 없습니다
    The push network cannot be reached
    = 푸시 채널에 연결할 수 없습니다
    The identity provider cannot be reached
    = 통합 로그인 서버에 연결할 수 없습니다
    It is not known whether this was carried out
    = 처리되었는지 알 수 없습니다
    Internal error
    = 서버 오류가 발생했습니다
    {1} {2}.
    = {1}: {2}.
    The body is not valid: {1}.
    = 요청 형식이 올바르지 않습니다: {1}.
    The body is not valid at {1}: {2}.
    = 요청 형식이 올바르지 않습니다({1}): {2}.
    scheduled
    = 예약
    queued
    = 대기
    sending
    = 발송 중
    paused
    = 일시 정지
    completed
    = 완료
    cancelled
    = 취소됨
    expired
    = 만료
    failed
    = 실패
    being cancelled
    = 취소 중
    pause
    = 일시 정지
    resume
    = 재개
    cancel
    = 취소
    resend
    = 재발송
    replace
    = 교체
    pace
    = 속도를 변경
    {1} or {2}
    = {1} 또는 {2}
    somebody
    = 다른 사람
    """
}
