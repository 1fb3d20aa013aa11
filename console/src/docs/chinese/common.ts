/** What many operations have: their level, pages, errors and headers. English of the document, and its Chinese. */
export const commonSentences: Readonly<Record<string, string>> = {
  'Requires a key of level `{{level}}`.': '需要级别为 `{{level}}` 的密钥。',
  'Records per page.': '每页的条数。',
  'The `next_cursor` of the previous page.': '上一页的 `next_cursor`。',
  'Send it as `cursor` to get the next page; null on the last page.':
    '作为 `cursor` 发送可取得下一页；最后一页为 null。',
  'A page': '一页',
  'From this time on, in ISO 8601; a day begins at 00:00 UTC.':
    '从此时间开始，ISO 8601 格式；只写日期时从 UTC 00:00 开始。',
  'Up to this time, which is not included.': '到此时间为止，不含该时间。',
  'What is wrong and what is allowed.': '哪里有错，以及允许什么。',
  'The path of the refused value, such as `messages[0].content`.': '被拒绝的值的路径，例如 `messages[0].content`。',
  "One of {{codes}}; of an upstream's refusal, the upstream's own.":
    '以下之一：{{codes}}；上游拒绝时为上游自己的错误码。',
  'All four members are always present.': '四个成员始终都有。',
  "An upstream's own": '上游自己的错误',
  "The failed task's record": '失败任务的记录',
  "The request's id: the caller's own if it is a plain one, else a new one. It finds the log line.":
    '请求的 id：调用方自己的 id 合规时沿用，否则新建。可用它查找日志。',
  "The same id where Anthropic's SDKs look for it.": '同一个 id，放在 Anthropic 的 SDK 读取的位置。',
  "Calls in a window of the key's tightest call limit, if it has one.":
    '密钥最严格的调用次数限制（如果有）在一个时间窗口内的次数。',
  'Calls left in that window.': '该时间窗口内剩余的次数。',
  'Whole seconds until that window ends; 0 for a `total` limit. Of a refusal: when another try makes sense, if that is more than a minute away.':
    '距该时间窗口结束的整秒数；`total` 限制为 0。被拒绝时：若一分钟以后才值得重试，则为届时的秒数。',
  'Seconds to wait before a retry, at most 60.': '重试前等待的秒数，最多 60。',
  'How to authenticate.': '如何进行身份验证。',
  '`false` where sending the request again would not help; the OpenAI SDKs obey it.':
    '重新发送请求也无济于事时为 `false`；OpenAI 的 SDK 会遵循它。',
  '`true` where the answer is that of the first call with this Idempotency-Key.':
    '响应来自使用此 Idempotency-Key 的首次调用时为 `true`。',
  'Names the bytes of the answer.': '标识响应的字节内容。',
  'Where the file is.': '文件的位置。',
  'How long the answer may be kept, and by whom.': '响应可以缓存多久，以及由谁缓存。',
  'Of a page of CSV, where the next one is (`rel="next"`).': 'CSV 分页时下一页的地址（`rel="next"`）。',
  'Makes the call safe to send again: kept for 24 hours for the account, the same key and body give the same task or the same answer, and never a second charge.':
    '使调用可以安全地重新发送：在账户内保留 24 小时，相同的幂等键和请求体得到相同的任务或响应，不会重复扣费。',
  "The version of Anthropic's API, passed on to the provider; `2023-06-01` if it is absent.":
    'Anthropic API 的版本，转发给供应商；不填时为 `2023-06-01`。',
  "`wait=N` sets how many seconds this call waits for its task before it answers 202; more than 300 counts as 300, and what can't be read is ignored (RFC 7240).":
    '`wait=N` 指定此调用在返回 202 之前等待任务的秒数；大于 300 按 300 计，无法识别的值会被忽略（RFC 7240）。',
  '`100-continue` is answered only after the key and the headers were checked, so that a bad key costs no upload. Anything else is ignored.':
    '仅在检查密钥和请求头之后才应答 `100-continue`，因此密钥无效时不必上传。其他值会被忽略。',
  'An id of your own for the request, of 1 to 128 letters, digits and `. _ -`; any other is ignored.':
    '您为请求指定的 id，由 1 到 128 个字母、数字和 `. _ -` 组成；其他的会被忽略。',
  'What the request is filed under, such as a team or a feature: usage and cost can be seen by it. A request has one tag.':
    '请求的归类标签，例如团队或功能：可按它查看用量和费用。一个请求只有一个标签。',
  "an upstream's refusal in its own words": '上游的拒绝（原文）',
  "the failed task's record": '失败任务的记录',
};
