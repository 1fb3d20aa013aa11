/** What each error code of the public API means, and what to do about it: `docs/errors.md` in short. */
import type { ErrorCode } from '../../../../src/domain/errors.ts';
import { defineTexts, useTexts } from '../../texts/define-texts.ts';

/** Codes of the console's own API are on no record of a request; a cancelled task has its code in its own record. */
type RecordedCode =
  | Exclude<
      ErrorCode,
      | 'cancelled'
      | 'last_owner'
      | 'not_signed_in'
      | 'origin_not_allowed'
      | 'too_many_attempts'
      | 'would_lock_out'
      | 'wrong_password'
    >
  | 'client_disconnected';

const en: Readonly<Record<RecordedCode, string>> = {
  invalid_json: 'The body is not valid JSON in UTF-8, or names a field twice. Fix the body; the message says where.',
  missing_parameter: 'A required parameter is missing. Send it; the message names it.',
  invalid_parameter:
    'A value is out of range, of the wrong type, or for another kind of model. Fix what the message names; values are never adjusted.',
  content_policy_violation: 'The provider refuses the content of the request. Change the request; nothing was charged.',
  request_too_large: 'The body or an upload is larger than allowed. Send less.',
  unsupported_media_type: 'The body is not JSON, or not a form where a form is required. Set Content-Type.',
  route_not_found:
    'No route matches the path, or a file’s link has expired. Check the path; get the task for a new link.',
  method_not_allowed: 'The path doesn’t support this method. Use one from the response header Allow.',
  missing_api_key: 'The header Authorization: Bearer … is missing. Send the key.',
  invalid_api_key: 'The key is unknown, revoked or expired. Use another key.',
  permission_denied:
    'The key’s level is too low for the operation, or it may not be used from this address. Use a key of a higher level, or allow the address in the key.',
  model_not_allowed: 'The model is not on the key’s allow-list. Use another model or key.',
  account_suspended: 'The operator has suspended the account. Contact the operator.',
  insufficient_balance:
    'The balance is below the hold for the call, or the account owes money after a write-off. Top up.',
  call_limit_exceeded:
    'The key’s call limit is used up. Retry after the time in Retry-After; a limit in total never resets.',
  spend_limit_exceeded: 'The call would exceed the key’s spend limit. Wait for the next window, or raise the limit.',
  concurrency_limit_exceeded: 'The key has reached its maximum of running or queued tasks. Retry when one has ended.',
  model_not_found: 'No published model has this ID, or the key may not see it. Check the Models page.',
  model_in_maintenance: 'The operator has put the model into maintenance. Retry later, or use another model.',
  task_not_found: 'The task is unknown, another account’s, expired or already fetched. Check the Tasks page.',
  file_not_found: 'The file is unknown, another account’s, expired or deleted. Check its ID with GET /files.',
  body_not_found: 'No body was recorded for this request.',
  batch_not_found: 'The batch is unknown or another account’s. Check the Batches page.',
  response_not_found: 'The stored response is unknown or another account’s. Send the whole conversation.',
  task_being_fetched:
    'Another download of this avatar-talk result is running. Wait for it; if it breaks off, retry after the time in Retry-After.',
  batch_not_cancellable: 'All lines of the batch have ended. Look at the batch.',
  task_not_cancellable: 'The task has ended already. Look at its record.',
  task_not_ended:
    'The video is still running, so it has no content and can’t be deleted. Wait until it is completed, or cancel it.',
  idempotency_key_reused: 'The same Idempotency-Key came with another body. Use a new key for a new request.',
  idempotency_key_used: 'A streamed response can’t be replayed. Use a new key, or don’t stream.',
  upstream_rate_limited: 'Every route of the model is rate-limited at the moment. Retry after the time in Retry-After.',
  upstream_error:
    'No route of the model could serve the request, or the provider broke off its response. Retry later, or use another model. A call whose response never began costs nothing.',
  upstream_timeout:
    'The provider did not respond, or did not finish before its deadline. Retry later; nothing was charged for a task.',
  overloaded:
    'Too many requests at once, or too many tasks waiting to start; nothing was held. Retry after the time in Retry-After.',
  not_ready:
    'The database or the blob store is down, or the process is stopping; nothing was created. Retry after the time in Retry-After.',
  outcome_unknown:
    'The database went down before it confirmed the operation. Check whether it was done before you send it again.',
  internal_error: 'An error in the gateway. Report the request ID to the operator.',
  client_disconnected:
    'The client closed the connection before the whole response was sent. What the provider counted until then is charged.',
};

const zh: typeof en = {
  invalid_json: '正文不是 UTF-8 编码的有效 JSON，或字段名重复。请修正正文；错误信息会指出位置。',
  missing_parameter: '缺少必填参数，错误信息给出其名称。请补上该参数。',
  invalid_parameter: '值超出范围或类型错误，或模型类型不符。请修正错误信息所指的值；网关绝不调整取值。',
  content_policy_violation: '供应商拒绝请求的内容。请修改请求内容；未扣费。',
  request_too_large: '正文或上传文件超过上限。请减少内容。',
  unsupported_media_type: '正文不是 JSON，或该接口要求表单而正文不是。请设置 Content-Type。',
  route_not_found: '路径不存在，或文件链接已过期。请检查路径；重新查询任务可获取新链接。',
  method_not_allowed: '该路径只支持响应头 Allow 中列出的方法。请使用其中之一。',
  missing_api_key: '缺少请求头 Authorization: Bearer …。请发送密钥。',
  invalid_api_key: '密钥未知、已吊销或已过期。请更换密钥。',
  permission_denied: '密钥的权限不足以执行该操作，或不允许从此地址使用。请使用权限更高的密钥，或在密钥中允许该地址。',
  model_not_allowed: '模型不在密钥的允许列表中。请更换模型或密钥。',
  account_suspended: '运营人员已停用该账户。请联系运营人员。',
  insufficient_balance: '余额少于本次调用的冻结金额，或核销后仍有欠款。请充值。',
  call_limit_exceeded: '密钥的调用次数已用尽。请在 Retry-After 之后重试；总次数上限不会重置。',
  spend_limit_exceeded: '本次调用会超出密钥的消费限额。请等待下一个周期，或提高上限。',
  concurrency_limit_exceeded: '密钥运行中或排队的任务数已达上限。请在有任务结束后重试。',
  model_not_found: '没有此 ID 的已发布模型，或密钥无权使用它。请查看模型页。',
  model_in_maintenance: '运营人员已将模型置于维护状态。请稍后重试，或使用其他模型。',
  task_not_found: '任务不存在、属于其他账户、已过期或已被下载。请查看任务页。',
  file_not_found: '文件不存在、属于其他账户、已过期或已删除。请查看 GET /files。',
  body_not_found: '没有记录此请求的内容。',
  batch_not_found: '批处理不存在，或属于其他账户。请查看批处理页。',
  response_not_found: '所存的 response 不存在，或属于其他账户。请发送完整的对话。',
  task_being_fetched: '该数字人口播结果正由另一个请求下载。请等待那次下载；如果它中断，在 Retry-After 之后重试。',
  batch_not_cancellable: '批处理的所有行都已结束。请查看该批处理。',
  task_not_cancellable: '任务已经结束。请查看其记录。',
  task_not_ended: '请求下载或删除仍在运行的视频。请等它完成，或将其取消。',
  idempotency_key_reused: '同一个 Idempotency-Key 已用于不同的正文。新请求请使用新的 Idempotency-Key。',
  idempotency_key_used: '流式响应无法重放。请使用新的 Idempotency-Key，或不使用流式。',
  upstream_rate_limited: '该模型的所有线路目前都被限流。请在 Retry-After 之后重试。',
  upstream_error:
    '该模型没有线路能完成请求，或供应商中断了响应。请稍后重试，或使用其他模型。从未开始响应的调用不收费。',
  upstream_timeout: '供应商没有响应，或未在期限内完成。请稍后重试；任务未扣费。',
  overloaded: '同时请求过多，或等待启动的任务过多；没有冻结金额。请在 Retry-After 之后重试。',
  not_ready: '数据库或文件存储不可用，或进程正在停止；未创建任何内容。请在 Retry-After 之后重试。',
  outcome_unknown: '数据库在确认操作之前离线。再次发送之前，请先查看操作是否已完成。',
  internal_error: '网关自身的故障。请将请求 ID 告知运营人员。',
  client_disconnected: '客户端在响应发送完之前关闭了连接。供应商此前计入的用量照常计费。',
};

const meaningTexts = defineTexts('request-errors', { en, zh });

/** What a code means, in the reader's language; undefined for one that a provider passed on. */
export function useErrorMeaning(): (code: string | null) => string | undefined {
  const say = useTexts(meaningTexts);
  return (code) => (code !== null && isRecorded(code) ? say(code) : undefined);
}

const isRecorded = (code: string): code is RecordedCode => Object.hasOwn(en, code);
