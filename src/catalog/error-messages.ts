/** The messages that the platform gives every new error set, as recorded: id, status, code, detail header. */
type DefaultMessage = {
  readonly id: string
  readonly status: string
  readonly code: number
  readonly detailHeader: string
}

const message = (id: string, status: string, code: number, detailHeader = ''): DefaultMessage => ({
  id,
  status,
  code,
  detailHeader,
})

const badRequest = (id: string, detailHeader: string) => message(id, 'Bad Request', 400, detailHeader)
const unauthorized = (id: string, detailHeader: string) => message(id, 'Unauthorized', 401, detailHeader)
const forbidden = (id: string, detailHeader: string) => message(id, 'Forbidden', 403, detailHeader)

export const defaultMessages: readonly DefaultMessage[] = [
  badRequest('ERR_400_BAD_REQUEST', ''),
  forbidden('ERR_403_NOT_AUTHORIZED', 'Not Authorized'),
  forbidden('ERR_403_DEVELOPER_INACTIVE', 'Account Inactive'),
  forbidden('ERR_403_DEVELOPER_OVER_QPS', 'Account Over Queries Per Second Limit'),
  forbidden('ERR_403_DEVELOPER_OVER_RATE', 'Account Over Rate Limit'),
  forbidden('ERR_403_DEVELOPER_UNKNOWN_REFERER', 'Invalid Referer'),
  forbidden('ERR_403_SERVICE_OVER_QPS', 'Rate Limit Exceeded'),
  forbidden('ERR_403_SERVICE_REQUIRES_SSL', 'Service Requires SSL'),
  message('ERR_414_REQUEST_URI_TOO_LONG', 'Request-URI Too Long', 414),
  message('ERR_502_BAD_GATEWAY', 'Bad Gateway', 502),
  message('ERR_503_SERVICE_UNAVAILABLE', 'Service Unavailable', 503, 'Scheduled Maintenance'),
  message('ERR_504_GATEWAY_TIMEOUT', 'Gateway Timeout', 504),
  badRequest('ERR_400_UNSUPPORTED_PARAMETER', 'Unsupported Parameter'),
  badRequest('ERR_400_UNSUPPORTED_SIGNATURE_METHOD', 'Unsupported Signature Method'),
  badRequest('ERR_400_MISSING_REQUIRED_CONSUMER_KEY', 'Missing Required Consumer Key'),
  badRequest('ERR_400_MISSING_REQUIRED_REQUEST_TOKEN', 'Missing Required Request Token'),
  badRequest('ERR_400_MISSING_REQUIRED_ACCESS_TOKEN', 'Missing Required Access Token'),
  // The recording has 504 here, although the id contains 400.
  message('ERR_400_DUPLICATED_OAUTH_PROTOCOL_PARAMETER', 'Bad Request', 504, 'Duplicated OAuth Protocol Parameter'),
  unauthorized('ERR_401_TIMESTAMP_IS_INVALID', 'Timestamp Is Invalid'),
  unauthorized('ERR_401_INVALID_SIGNATURE', 'Invalid Signature'),
  unauthorized('ERR_401_INVALID_OR_EXPIRED_TOKEN', 'Invalid Or Expired Token'),
  unauthorized('ERR_401_INVALID_CONSUMER_KEY', 'Invalid Consumer Key'),
  unauthorized('ERR_401_INVALID_NONCE', 'Invalid NONCE'),
]
