/// Titles of problems, and words that many sentences have.
extension KoreanSentences {
  static let problems = """
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
