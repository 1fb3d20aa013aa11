/** Of models, their health, the gateway itself, and of events that it sends. English of the document, and its Chinese. */
export const serviceSentences: Readonly<Record<string, string>> = {
  "Published, not in maintenance, and on the key's allow-list. Always whole. With the header `anthropic-version` in the form of Anthropic's API, and only models that take messages.":
    '已发布、不在维护中、且在密钥允许范围内的模型。总是返回完整列表。带请求头 `anthropic-version` 时采用 Anthropic API 的格式，且只包括可用于 messages 的模型。',
  'The models': '模型列表',
  "In Anthropic's form": 'Anthropic 的格式',
  "With the header `anthropic-version` in the form of Anthropic's API.":
    '带请求头 `anthropic-version` 时采用 Anthropic API 的格式。',
  'Model id; slashes in it may stand as they are.': '模型 id；其中的斜杠可以原样保留。',
  'The model': '模型',
  'Vendor identifier of the model.': '模型厂商的标识。',
  'Built from real traffic; idle models are probed. No key is needed.':
    '根据真实流量得出；空闲的模型会被探测。无需密钥。',
  'The report': '报告',
  'The median of the last 20; 0 if there are none.': '最近 20 次的中位数；没有时为 0。',
  'Milliseconds since the Unix epoch.': '自 Unix 纪元起的毫秒数。',
  'While the model is in maintenance, where a note or an end is known.': '模型维护期间，且有说明或结束时间时。',
  'Why, in the words of the operator.': '维护的原因，由运营人员填写。',
  'When it ends by itself.': '何时自动结束。',
  'By model id.': '以模型 id 为键。',
  'Capability tags by model id.': '以模型 id 为键的能力标签。',
  'Display names of the capability tags.': '能力标签的显示名称。',
  'It is': '存活',
  'Not ready until everything answered once, then whenever database or blob store are away, or it drains.':
    '所有组件首次应答之前为未就绪；之后在数据库或对象存储不可用时，或正在排空时也是如此。',
  'It can.': '就绪。',
  'Tasks are accepted and run later': '接受任务，稍后运行',
  'What is wrong with Temporal: tasks are accepted and run later.': 'Temporal 出现的问题：任务会被接受，稍后运行。',
  "Prometheus' text format.": 'Prometheus 文本格式。',
  'OpenAPI 3.1.': 'OpenAPI 3.1。',
  'Its beginning': '开头部分',
  'It is the one that `If-None-Match` names.': '与 `If-None-Match` 所指的相同。',
  'What the page `/status` shows, at most five seconds old. 404 where `status_page` is `false`.':
    '`/status` 页面的内容，最多滞后五秒。`status_page` 为 `false` 时返回 404。',
  'The status.': '服务状态。',
  'All is well': '一切正常',
  'Of all models together; `unavailable` only if none can be called.':
    '所有模型的总体状态；仅当没有任何模型可用时为 `unavailable`。',
  'From 0 to 1; null without any call or task. Mistakes of callers do not count.':
    '0 到 1；没有任何调用或任务时为 null。调用方自身的错误不计入。',
  'The rate of success of each of the last 24 hours, the newest last.': '最近 24 小时中每小时的成功率，最新的在最后。',
  'While it lasts: why, and when it ends by itself.': '维护期间：原因，以及何时自动结束。',
  'Links are in the records of tasks; the signature is the permission. One `Range` of bytes may be asked for.':
    '链接在任务的记录中；签名即为权限。可以用 `Range` 请求一段字节。',
  'Number of the result.': '结果的序号。',
  'Until when the link is good, in Unix seconds.': '链接的有效期，Unix 时间戳（秒）。',
  'Which secret signed it.': '由哪个密钥签名。',
  'The signature.': '签名。',
  'For providers, which get the address with the job; the signature is the permission.':
    '供供应商使用，地址随作业一起提供；签名即为权限。',
  "Number of the model's route.": '模型线路的序号。',
  'Retried for 24 hours until it is answered with 2xx.': '24 小时内会重试，直到返回 2xx。',
  "The event's id, the same in every attempt.": '事件的 id，每次尝试都相同。',
  'Unix seconds of this attempt.': '本次尝试的 Unix 时间戳（秒）。',
  '`v1,<base64>` for each valid secret, with spaces between (Standard Webhooks).':
    '每个有效的签名密钥对应一个 `v1,<base64>`，以空格分隔（Standard Webhooks）。',
  'The receiver wants no more events; it is not retried.': '接收方不再需要事件；不会重试。',
  'Delivered.': '已送达。',
};
