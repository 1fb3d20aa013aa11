/** Of conversations in every form, and of calls that only read: embeddings, moderation, ranking. English of the document, and its Chinese. */
export const chatSentences: Readonly<Record<string, string>> = {
  'Streaming (SSE) and non-streaming.': '支持流式（SSE）和非流式。',
  'Fields that are not listed are passed on to the model.': '未列出的字段会转发给模型。',
  'Code-generation models may also be called here.': '代码生成模型也可以在这里调用。',
  'A question': '一个问题',
  Streaming: '流式',
  'With an image': '带一张图片',
  "The model's answer; with `stream` true as server-sent events.":
    '模型的回答；`stream` 为 true 时以服务器发送事件（SSE）返回。',
  'The answer': '回答',
  'One event of the stream.': '流中的一个事件。',
  "For code-generation models, and any model whose provider has the endpoint. Request and answer are the OpenAI Responses API's.":
    '用于代码生成模型，以及供应商提供此接口的任何模型。请求和响应与 OpenAI 的 Responses API 相同。',
  'A task': '一项任务',
  "The model's response; with `stream` true as server-sent events.":
    '模型的 response；`stream` 为 true 时以服务器发送事件（SSE）返回。',
  'The response': 'response',
  'What the provider has kept of a response, asked for where it was made. The query is passed on.':
    '供应商保存的 response，向生成它的供应商查询。查询参数会一并转发。',
  "The response's id.": 'response 的 id。',
  'The response; with the query `stream=true` as server-sent events.':
    'response；查询参数为 `stream=true` 时以服务器发送事件（SSE）返回。',
  'It is deleted': '已删除',
  'The response as it is now.': 'response 当前的状态。',
  'Where its provider lists them. The query is passed on.': '仅当其供应商提供该列表时可用。查询参数会一并转发。',
  'The items': '条目',
  "The provider's own count, where it has one. Costs nothing.": '供应商自己的计数（如果提供）。不收费。',
  'The count': 'token 数',
  'A shorter input that stands for the conversation, where the provider makes one. It is charged as a response is.':
    '代替整段对话的较短输入（如果供应商支持）。收费方式与 response 相同。',
  'A conversation': '一段对话',
  'The compacted input.': '压缩后的输入。',
  'The compaction': '压缩结果',
  "For Anthropic's SDKs and agents. Request and answer are those of Anthropic's Messages API; `anthropic-beta` and fields that are not listed are passed on to the model. The key may be sent as `x-api-key`.":
    '供 Anthropic 的 SDK 和智能体使用。请求和响应与 Anthropic 的 Messages API 相同；`anthropic-beta` 和未列出的字段会转发给模型。密钥可以用 `x-api-key` 发送。',
  "The model's message; with `stream` true as server-sent events.":
    '模型的消息；`stream` 为 true 时以服务器发送事件（SSE）返回。',
  'The message': '消息',
  "The provider's own count where it has one, else the gateway's. Costs nothing.":
    '供应商自己的计数；没有时由网关计数。不收费。',
  'For chat and code models whose provider has the endpoint.': '用于供应商提供此接口的对话模型和代码模型。',
  'A text': '一段文本',
  "The model's completion; with `stream` true as server-sent events.":
    '模型的补全；`stream` 为 true 时以服务器发送事件（SSE）返回。',
  'The completion': '补全',
  'For models of kind `embedding`. The answer is passed on byte for byte.':
    '用于类型为 `embedding` 的模型。响应逐字节转发。',
  'A call whose answer is lost on its way is sent again.': '响应在途中丢失的调用会重新发送。',
  'Several, shorter': '多段，向量较短',
  'The vectors': '向量',
  'For models of kind `moderation`.': '用于类型为 `moderation` 的模型。',
  Several: '多段',
  'The results': '结果',
  'For models of kind `rerank`.': '用于类型为 `rerank` 的模型。',
  Texts: '文本',
  'The ranking': '排序结果',
  'The conversation so far; `content` is a string or an array of parts (vision input).':
    '到目前为止的对话；`content` 是字符串，或内容片段的数组（可包含图片）。',
  'True returns server-sent events. Default false.': '为 true 时以服务器发送事件（SSE）返回。默认 false。',
  '`include_usage`: ask for a last chunk with the usage.': '`include_usage`：要求在最后返回一个带用量的分块。',
  "Maximum number of tokens to generate. Default: the model's own.": '最多生成的 token 数。默认由模型决定。',
  'A newer name of `max_tokens`.': '`max_tokens` 的新名称。',
  'Default 1.': '默认 1。',
  'At most 4 stop sequences.': '最多 4 个停止序列。',
  'Default 0.': '默认 0。',
  'Number of replies. Default 1.': '回答的数量。默认 1。',
  '`{type: json_object}` enables JSON mode.': '`{type: json_object}` 开启 JSON 模式。',
  'Makes output more stable for the same prompt.': '使同一提示词的输出更稳定。',
  'Default false.': '默认 false。',
  'Number of most likely tokens returned. Used with `logprobs`.':
    '返回概率最高的 token 的个数。与 `logprobs` 一起使用。',
  'Function-call tool definitions. The model must support them.': '函数调用的工具定义。模型必须支持工具。',
  '`auto`, `none`, `required`, or the tool to call.': '`auto`、`none`、`required`，或要调用的工具。',
  'End-user identifier for monitoring.': '最终用户的标识，用于监控。',
  'A text, a list of texts, a list of tokens, or a list of such lists; each is completed.':
    '一段文本、一组文本、一组 token，或多组 token；每一项都会被补全。',
  'Number of completions of each prompt. Default 1.': '每个提示词的补全数量。默认 1。',
  'True repeats the prompt before the completion.': '为 true 时在补全之前重复提示词。',
  'What comes after the completion.': '补全之后的文本。',
  'A text, a list of texts, a list of tokens, or a list of such lists.':
    '一段文本、一组文本、一组 token，或多组 token。',
  "Length of the vectors. Default: the model's own.": '向量的长度。默认由模型决定。',
  '`float` (default) or `base64`, as the model writes it.': '`float`（默认）或 `base64`，按模型写出的内容返回。',
  'The conversation so far; `content` is a string or an array of blocks.':
    '到目前为止的对话；`content` 是字符串，或内容块的数组。',
  'The system prompt: a string or an array of text blocks.': '系统提示词：字符串，或文本块的数组。',
  'Tool definitions. Those that the provider runs need a price or a permission.':
    '工具定义。由供应商执行的工具需要有定价或获得许可。',
  '`auto`, `any`, `tool` or `none`, as an object with that `type`.':
    '`auto`、`any`、`tool` 或 `none`，写成带相应 `type` 的对象。',
  'Whether the model thinks first, as an object with a `type`.': '模型是否先思考，写成带 `type` 的对象。',
  'Effort and format of the answer.': '回答的思考强度和格式。',
  'Maximum number of tokens to generate; 0 only fills the cache.': '最多生成的 token 数；0 表示只写入缓存。',
  'True returns named server-sent events. Default false.': '为 true 时返回具名的服务器发送事件（SSE）。默认 false。',
  'Texts that end the answer.': '使回答结束的文本。',
  "Default: the model's own.": '默认由模型决定。',
  '`user_id`: end-user identifier for monitoring.': '`user_id`：最终用户的标识，用于监控。',
  "Model id. Default: the gateway's first model of kind `moderation`.":
    '模型 id。默认为网关的第一个 `moderation` 类型的模型。',
  'A text, a list of texts, or a list of parts of types `text` and `image_url`.':
    '一段文本、一组文本，或一组类型为 `text` 和 `image_url` 的内容片段。',
  'What the documents should be about.': '文档应与之相关的查询内容。',
  'Texts, or objects as the model takes them.': '文本，或模型所接受的对象。',
  'How many results are returned. Default: all.': '返回多少条结果。默认返回全部。',
  'Whether results have their documents. Default false.': '结果中是否包含文档。默认 false。',
  'A text, or the items of a conversation.': '一段文本，或一段对话的各个条目。',
  "A prompt template of the upstream's, which may stand for the input.": '上游的提示词模板，可以代替输入。',
  "True returns the Responses API's server-sent events. Default false.":
    '为 true 时返回 Responses API 的服务器发送事件（SSE）。默认 false。',
  'A response of the same account to continue from.': '要接着往下的 response，须属于同一账户。',
  'Not offered.': '不提供。',
  'Only false: answers are given at once or streamed.': '只能为 false：响应一次返回或流式返回。',
  'A response of the same account to continue from; it may stand for the input.':
    '要接着往下的 response，须属于同一账户；可以代替输入。',
  'The model actually used.': '实际使用的模型。',
  "The upstream's own answer, handed on as it came.": '上游自己的响应，原样转发。',
  'Incremental text.': '新增的文本。',
  '`stop` or `length` on the last chunk, otherwise null.': '最后一个分块中为 `stop` 或 `length`，其余为 null。',
  'On the last chunk only, and only if it was asked for.': '仅在最后一个分块中，且仅当请求中要求时。',
  'One `data: ` line of a stream. The stream ends with `data: [DONE]`.':
    '流中的一行 `data: `。流以 `data: [DONE]` 结束。',
  "The upstream's own answer, handed on as it came; of a stream one `data: ` line.":
    '上游自己的响应，原样转发；流式时为一行 `data: `。',
  'Numbers; with `encoding_format` `base64` little-endian 32-bit floats.':
    '数字；`encoding_format` 为 `base64` 时是小端序的 32 位浮点数。',
  'The most relevant first.': '最相关的在前。',
  "A response object of the OpenAI Responses API, the upstream's own.":
    'OpenAI Responses API 的 response 对象，由上游给出。',
  "The upstream's own word that it is deleted.": '上游给出的删除确认。',
  "The upstream's own answer.": '上游自己的响应。',
};
