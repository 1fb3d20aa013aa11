/** Of the account, its keys, its ledger, its usage and its requests. English of the document, and its Chinese. */
export const accountSentences: Readonly<Record<string, string>> = {
  'The account': '账户',
  'The updated account.': '更新后的账户。',
  'Only entries of this task.': '仅此任务的明细。',
  'Only entries of this request.': '仅此请求的明细。',
  'Only entries of the lines of this batch, as long as its files are kept.':
    '仅此批处理各行的明细，在其文件保存期间可查。',
  'Only entries of this type.': '仅此类型的明细。',
  'A page; with `Accept: text/csv` as CSV, and then the whole list unless `limit` or `cursor` is sent.':
    '一页；带 `Accept: text/csv` 时返回 CSV，此时若未发送 `limit` 或 `cursor`，则返回完整列表。',
  'How rows are grouped.': '按什么分组。',
  'Of the days, those of `from` and `to` too: a name such as `Asia/Shanghai`, whatever the account has. UTC if absent.':
    '日期所用的时区，包括 `from` 和 `to`：名称如 `Asia/Shanghai`，与账户的设置无关。不填时为 UTC。',
  'By day': '按日',
  'Every call that came with a key of this account, when its answer is over. Reads that succeeded, such as polling a task, and lines of batches are left out. Kept for 30 days, unless the operator set another time.':
    '使用此账户的密钥发出的每次调用，在响应结束时记录。成功的查询（如轮询任务）和批处理的各行不包括在内。保留 30 天，除非运营人员另行设置。',
  'Only requests that named this model.': '仅请求此模型的记录。',
  'Only requests with this key.': '仅使用此密钥的请求。',
  'Only requests that were answered with this status, with one of this class, such as `4xx`, or with any of 400 and above: `error`.':
    '仅返回此状态码的请求；也可以是一类状态码（如 `4xx`），或 400 及以上的全部：`error`。',
  'Only requests whose error has this code.': '仅错误码与此相同的请求。',
  'Only the request of this id. Where a caller chose the id, there may be several.':
    '仅此 id 的请求。如果 id 由调用方指定，可能有多条。',
  'Only requests of this end user.': '仅此最终用户的请求。',
  'Only requests with this `X-Tollgate-Tag`.': '仅带有此 `X-Tollgate-Tag` 的请求。',
  'Only of accounts whose owners have switched the recording of bodies on, and for as long as they set. Of several requests of one id, the newest. Each reading is in the audit log.':
    '仅限所有者已开启内容记录的账户，保存时间由其设定。同一 id 有多个请求时，返回最新的一个。每次查看都会记入审计日志。',
  "The request's id, as its answer had it in `X-Request-Id`.": '请求的 id，即其响应头 `X-Request-Id` 的值。',
  'The bodies, without what was redacted.': '请求与响应的内容，不含已脱敏的部分。',
  'The bodies': '内容',
  'The secret': '签名密钥',
  'For 24 hours, deliveries carry the signatures of both secrets.': '24 小时内，投递会带有新旧两个密钥的签名。',
  'The new secret.': '新的签名密钥。',
  'The key, shown only once.': '密钥，只显示一次。',
  'The key': '密钥',
  "The key's id.": '密钥的 id。',
  'Omitted fields are unchanged; null removes a limit.': '未发送的字段保持不变；null 表示取消限制。',
  'The updated key.': '更新后的密钥。',
  'It stops working everywhere within 5 seconds, and stays in the list.': '5 秒内在所有地方失效，但仍保留在列表中。',
  'The revoked key.': '已吊销的密钥。',
  'A display name.': '显示名称。',
  "The default for the account's tasks; null clears it.": '账户任务的默认值；null 表示清除。',
  'The webhook receives `account.balance_low` when the balance falls below this amount; null clears it.':
    '余额低于此金额时，Webhook 会收到 `account.balance_low`；null 表示清除。',
  'Of the days and months that the console shows: a name such as `Asia/Shanghai`; null: UTC.':
    '控制台中日期和月份所用的时区：名称如 `Asia/Shanghai`；null 表示 UTC。',
  'Display name.': '显示名称。',
  'Default `standard`.': '默认 `standard`。',
  'Ids of the models that it may use; null: all.': '可以使用的模型的 id；null 表示全部。',
  'How many calls it may make in a window.': '一个时间窗口内最多可以调用多少次。',
  'How much it may spend in a window.': '一个时间窗口内最多可以花费多少。',
  'How many of its tasks may run at once.': '最多同时运行多少个任务。',
  'Whether up to {{count}} tasks beyond `max_running_tasks` are accepted and wait for their turn, up to seven days. They are refused without.':
    '是否接受超出 `max_running_tasks` 的任务（最多 {{count}} 个）并排队等待，最长七天。否则会被拒绝。',
  'When it stops to work, in ISO 8601.': '何时失效，ISO 8601 格式。',
  'Addresses and CIDR ranges, IPv4 or IPv6, from which it may be used; null or empty: all.':
    '允许使用的地址和 CIDR 网段，IPv4 或 IPv6；null 或空表示不限。',
  "The gateway's currency (ISO 4217), which all amounts are in.": '网关的货币（ISO 4217），所有金额均以此计。',
  'Available balance.': '可用余额。',
  'On hold for running tasks and calls, not included in the balance.': '为运行中的任务和调用冻结的金额，不计入余额。',
  "The default for the account's tasks.": '账户任务的默认值。',
  'The webhook is notified when the balance falls below this amount.': '余额低于此金额时通知 Webhook。',
  'Of the days and months that the console shows, such as `Asia/Shanghai`.':
    '控制台中日期和月份所用的时区，例如 `Asia/Shanghai`。',
  'Each level contains the one before.': '每个级别都包含排在它前面的级别。',
  'The models that it may use; null: all.': '可以使用的模型；null 表示全部。',
  "The calendar's, in UTC.": '按日历计算，UTC 时间。',
  'Tasks beyond `max_running_tasks` wait for their turn; false: they are refused.':
    '超出 `max_running_tasks` 的任务排队等待；false 表示拒绝。',
  'From where it may be used; null: from everywhere.': '允许从哪里使用；null 表示不限。',
  'Unix seconds.': 'Unix 时间戳（秒）。',
  'The first 10 characters of the key.': '密钥的前 10 个字符。',
  'The key itself, shown only once.': '密钥本身，只显示一次。',
  'Of a `tool_call`: the tool.': '用于 `tool_call`：工具的名称。',
  'Signed, on the available balance.': '带正负号，对可用余额的影响。',
  'Available balance after this entry.': '此条明细之后的可用余额。',
  'Amount charged by this entry.': '此条明细扣费的金额。',
  '`image`, `second`, `token`, `character`, `search` or `call`.':
    '`image`、`second`、`token`、`character`、`search` 或 `call`。',
  '`upstream`, `estimated` or `measured`.': '`upstream`、`estimated` 或 `measured`。',
  'Of a call.': '仅用于调用。',
  "Of a call's capture: the provider's own `usage`.": '用于调用的扣费：供应商自己的 `usage`。',
  'As the request named it.': '请求中所写的名称。',
  '499: the caller disconnected before the answer began.': '499 表示调用方在响应开始之前断开了连接。',
  'Of its error. Of an answer that broke off after it began: `upstream_error` or `client_disconnected`.':
    '其错误码。响应开始后中断的：`upstream_error` 或 `client_disconnected`。',
  'From the head of the request to the end of its answer.': '从请求头到达至响应结束。',
  'Of a stream: until the first piece of its answer.': '用于流式：到响应的第一个分块为止。',
  'Of the whole prompt.': '整个提示词的 token 数。',
  'The part of them that a cache had.': '其中命中缓存的部分。',
  'Of a task: null until it has ended.': '任务结束之前为 null。',
  '`user` of the request, or `metadata.user_id`.': '请求的 `user`，或 `metadata.user_id`。',
  '`X-Tollgate-Tag` of the request.': '请求的 `X-Tollgate-Tag`。',
  'Of the request.': '请求的 id。',
  'Unix seconds; the bodies are deleted then.': 'Unix 时间戳（秒）；到时内容会被删除。',
  'Redacted fields are `"[redacted]"`; long base64 is shortened.':
    '已脱敏的字段为 `"[redacted]"`；较长的 base64 会缩短。',
  'How long the body was.': '内容的长度。',
  'The text ends before the body did.': '文本在内容结束之前截断。',
  'Null where it had none that was read.': '没有读取到内容时为 null。',
  'JSON, the events of a stream, or what a file is. Null where nothing was answered.':
    'JSON、流的各个事件，或文件的说明。没有响应内容时为 null。',
  "`text`: the body itself. `form`: JSON of the form's `fields` and, of each of its `files`, `name`, `file_name`, `type` and `bytes`. `file`: JSON of the `type` and `bytes` of an answer such as audio.":
    '`text`：内容本身。`form`：表单 `fields` 及其每个 `files` 的 `name`、`file_name`、`type` 和 `bytes` 的 JSON。`file`：音频等响应的 `type` 和 `bytes` 的 JSON。',
  'With `group_by=day`.': '`group_by=day` 时才有。',
  'With `group_by=model`.': '`group_by=model` 时才有。',
  'With `group_by=key`.': '`group_by=key` 时才有。',
  '`whsec_…`, as Standard Webhooks has it.': '`whsec_…`，遵循 Standard Webhooks。',
  '`key:` and the id of a key of the account, `person`, `cli` or `tollgate`; null: it is not known.':
    '`key:` 加上本账户的密钥 ID、`person`、`cli` 或 `tollgate`；null 表示未知。',
};
