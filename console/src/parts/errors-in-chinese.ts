/** What the code of an error says in Chinese, in a few words: the API says it in English, and so do providers. */
import type { ErrorCode } from '../../../src/domain/errors.ts';

const byCode: Readonly<Record<ErrorCode, string>> = {
  invalid_json: '请求正文不是有效的 JSON',
  missing_parameter: '缺少必填参数',
  invalid_parameter: '参数无效',
  content_policy_violation: '内容未通过供应商审核',
  missing_api_key: '缺少 API 密钥',
  invalid_api_key: 'API 密钥无效',
  insufficient_balance: '余额不足',
  permission_denied: '没有权限',
  model_not_allowed: '该密钥不能使用此模型',
  account_suspended: '账户已停用',
  model_not_found: '模型不存在',
  response_not_found: '响应不存在',
  file_not_found: '文件不存在',
  batch_not_found: '批处理不存在',
  body_not_found: '没有记录此请求的内容',
  task_not_found: '任务不存在',
  route_not_found: '地址不存在',
  method_not_allowed: '不支持此请求方法',
  idempotency_key_reused: '幂等键已用于其他请求',
  idempotency_key_used: '幂等键已使用过',
  task_being_fetched: '结果正在被下载',
  batch_not_cancellable: '批处理已结束，无法取消',
  task_not_cancellable: '任务已结束，无法取消',
  task_not_ended: '任务尚未结束',
  request_too_large: '请求过大',
  unsupported_media_type: '不支持的内容类型',
  call_limit_exceeded: '已达到调用次数限额',
  spend_limit_exceeded: '已达到消费限额',
  concurrency_limit_exceeded: '已达到并发任务数上限',
  upstream_rate_limited: '供应商限流',
  internal_error: '网关内部错误',
  upstream_error: '供应商出错',
  model_in_maintenance: '模型正在维护',
  overloaded: '服务器繁忙',
  not_ready: '服务暂不可用',
  outcome_unknown: '操作结果未知',
  upstream_timeout: '供应商响应超时',
  cancelled: '任务已取消',
  not_signed_in: '尚未登录',
  wrong_password: '密码不正确',
  origin_not_allowed: '不允许的请求来源',
  last_owner: '账户至少要有一名所有者',
  too_many_attempts: '尝试次数过多',
  would_lock_out: '会失去最后的登录权限',
};

/** Undefined for a code that only a provider knows. */
export const chineseOf = (code: string): string | undefined => (isKnown(code) ? byCode[code] : undefined);

const isKnown = (code: string): code is ErrorCode => Object.hasOwn(byCode, code);
