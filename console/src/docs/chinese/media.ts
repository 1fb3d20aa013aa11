/** Of images, videos, avatar videos and audio, and of their tasks. English of the document, and its Chinese. */
export const mediaSentences: Readonly<Record<string, string>> = {
  'For models of kind `speech`. The audio is passed on as it comes. It costs by the characters of the text, by the whole seconds of audio (a begun one counts) or by the tokens, as the price of the model says.':
    '用于类型为 `speech` 的模型。音频到达后立即转发。按模型的价格，以文本的字符数、音频的秒数（不足一秒按一秒计）或 token 数计费。',
  'As events': '以事件返回',
  'The audio, or its events.': '音频，或携带音频的事件。',
  'For models of kind `transcription`. It costs by the whole seconds of the audio (a begun one counts) or by the tokens, as the price of the model says. The file is deleted when the call is over.':
    '用于类型为 `transcription` 的模型。按模型的价格，以音频的秒数（不足一秒按一秒计）或 token 数计费。调用结束后文件即删除。',
  'FLAC, MP3, MP4, M4A, Ogg, WAV or WebM, of at most {{mebibytes}} MiB.':
    'FLAC、MP3、MP4、M4A、Ogg、WAV 或 WebM，最大 {{mebibytes}} MiB。',
  'Model id.': '模型 id。',
  'Guides the style, or continues an earlier part.': '引导风格，或衔接前一段音频。',
  'From 0 to 1.': '0 到 1。',
  'Of the audio, as ISO 639-1.': '音频的语言，ISO 639-1 代码。',
  'Default `json`. Which of them there are is up to the model.': '默认 `json`。支持哪些格式由模型决定。',
  '`true` returns server-sent events.': '为 `true` 时以服务器发送事件（SSE）返回。',
  'The transcript, in the format that was asked for.': '转写文本，采用请求的格式。',
  'As transcriptions, in English.': '与语音识别相同，但输出英文。',
  'The translation, in the format that was asked for.': '译文，采用请求的格式。',
  'The text, of at most {{count}} characters.': '要合成的文本，最多 {{count}} 个字符。',
  'The name of a voice, or an object with its `id`. Which there are is up to the model.':
    '声音的名称，或带有其 `id` 的对象。有哪些声音由模型决定。',
  'How to say it, for models that follow instructions.': '朗读的方式，用于支持指令的模型。',
  '`mp3` (default), `opus`, `aac`, `flac`, `wav` or `pcm` (24 kHz, 16 bits, one channel).':
    '`mp3`（默认）、`opus`、`aac`、`flac`、`wav` 或 `pcm`（24 kHz、16 位、单声道）。',
  'From 0.25 to 4. Default 1.': '0.25 到 4。默认 1。',
  '`audio` (default): the bytes. `sse`: events with the audio as base64.':
    '`audio`（默认）：音频的字节。`sse`：以 base64 携带音频的事件。',
  'Waits up to {{seconds}} s for the images, then answers HTTP 202 with a task id. The caller going away never stops the task.':
    '最多等待图片 {{seconds}} 秒，之后返回 HTTP 202 和任务 id。调用方断开连接不会使任务停止。',
  'Text-to-image': '文生图',
  'An exact size': '指定尺寸',
  'The images are ready.': '图片已生成。',
  Done: '已完成',
  'The task is running: poll it by its id.': '任务正在运行：请用 id 轮询。',
  Running: '运行中',
  'Task id.': '任务 id。',
  "The task's model, if it is named at all.": '任务的模型（如需指定）。',
  'The task record, also when the task failed.': '任务的记录，任务失败时也返回。',
  Failed: '失败',
  "The provider's job is cancelled where it can be, and the hold released.":
    '在可能时取消供应商处的作业，并释放冻结金额。',
  'Cancelled: the task record.': '已取消：返回任务的记录。',
  Cancelled: '已取消',
  'Makes an image from up to {{count}} images and a prompt, with a mask if the model takes one. The images come as files of a form or, in JSON, as addresses. What it answers, and how long it waits, is as for image generation; GET and DELETE are those of `/images/generations/{id}`.':
    '由最多 {{count}} 张图片和一段提示词生成图片；模型支持时可带蒙版。图片可作为表单的文件上传，或在 JSON 中给出地址。响应内容和等待时间与图片生成相同；GET 和 DELETE 使用 `/images/generations/{id}`。',
  'PNG, JPEG or WebP by its bytes. At most {{mebibytes}} MiB.':
    'PNG、JPEG 或 WebP，按文件内容识别。最大 {{mebibytes}} MiB。',
  'The images to edit; `image[]` is the same. Together at most {{mebibytes}} MiB.':
    '要编辑的图片；也可写作 `image[]`。合计最大 {{mebibytes}} MiB。',
  'Where the first image may be changed: of the same size, for models that take a mask.':
    '第一张图片中可以修改的区域：尺寸须相同，用于支持蒙版的模型。',
  'Image model id.': '图片模型的 id。',
  'Default `medium`. `auto` is as if absent, `standard` is `medium`, `hd` is `high`.':
    '默认 `medium`。`auto` 等同于不填，`standard` 即 `medium`，`hd` 即 `high`。',
  'Default `1:1`.': '默认 `1:1`。',
  'Default `2k`. When used, `ratio` must also be sent. `8k` is for upscaling.':
    '默认 `2k`。使用时必须同时发送 `ratio`。`8k` 用于放大。',
  'Format `<width>x<height>`, or `auto` as if absent; wins over `resolution` and `ratio`. Width times height must be from {{from}} to {{to}}, width/height from 1/3 to 3.':
    '格式为 `<width>x<height>`；`auto` 等同于不填；优先于 `resolution` 和 `ratio`。宽乘以高须在 {{from}} 到 {{to}} 之间，宽高比在 1/3 到 3 之间。',
  'Number of images. 1 forces a single image; above that the model decides the count.':
    '图片数量。1 表示只生成一张；更大的值由模型决定实际张数。',
  'Default `url`. `b64_json` puts the files themselves into the answers, as `data[].b64_json`.':
    '默认 `url`。`b64_json` 会把文件本身放进响应，即 `data[].b64_json`。',
  "Default: whatever the model makes. What the model's routes can't deliver is refused.":
    '默认由模型决定。模型的线路无法提供的格式会被拒绝。',
  "Default `auto`. What the model's routes can't deliver is refused; `transparent` doesn't go with `jpeg`.":
    '默认 `auto`。模型的线路无法提供的会被拒绝；`transparent` 不能与 `jpeg` 同用。',
  'Images are not streamed.': '图片不支持流式返回。',
  'Receives a signed POST when the task ends.': '任务结束时，此地址会收到带签名的 POST。',
  'What to change in the image. How long it may be is a matter of the model.':
    '要对图片做的修改。允许的长度由模型决定。',
  'Makes images like the one that is sent, for models that do so. Answers as image generation does; GET and DELETE are those of `/images/generations/{id}`.':
    '生成与所传图片相似的图片，用于支持此功能的模型。响应与图片生成相同；GET 和 DELETE 使用 `/images/generations/{id}`。',
  'Text-to-video, image-to-video and avatar video. Waits up to {{seconds}} s; work that does not finish within the request is answered with HTTP 202, `id` and `message`.':
    '文生视频、图生视频和数字人视频。最多等待 {{seconds}} 秒；未能在请求期间完成的，返回 HTTP 202、`id` 和 `message`。',
  'By a prompt': '使用提示词',
  'By content': '使用内容列表',
  'The video is ready.': '视频已生成。',
  'Answers at once; the task is the same as one of `/video/generations`, and can be asked for and cancelled there as well. As JSON, or as a form with a file. The fields of OpenRouter are taken too; where both name the same thing, those of OpenAI count.':
    '立即返回；任务与 `/video/generations` 的任务相同，也可以在那里查询和取消。可以发送 JSON，或带文件的表单。也接受 OpenRouter 的字段；两者含义相同时，以 OpenAI 的字段为准。',
  'With the fields of OpenAI': '使用 OpenAI 的字段',
  'With the fields of OpenRouter': '使用 OpenRouter 的字段',
  'An image to begin with: PNG, JPEG or WebP, of at most {{mebibytes}} MiB.':
    '起始图片：PNG、JPEG 或 WebP，最大 {{mebibytes}} MiB。',
  'Video model id.': '视频模型的 id。',
  'What the video shows.': '视频的内容。',
  'Its length, as a text or a number; which ones there are is a matter of the model.':
    '视频的时长（秒），文本或数字；可选值由模型决定。',
  '`<width>x<height>`; which ones there are is a matter of the model. Without it, the model chooses.':
    '`<width>x<height>`；可选值由模型决定。不填时由模型选择。',
  'As `seconds`, in the form of OpenRouter.': '同 `seconds`，OpenRouter 的写法。',
  'In the place of `size`, such as `720p`, at the ratio asked for.': '代替 `size`，例如 `720p`，按请求的宽高比。',
  'Default `16:9`.': '默认 `16:9`。',
  'Default true.': '默认 true。',
  'Passed on to models that have one.': '转发给支持该字段的模型。',
  'As `webhook_url`.': '同 `webhook_url`。',
  Accepted: '已接受',
  'By creation: `desc`, the default, begins with the newest.': '按创建时间排序：默认 `desc`，最新的在前。',
  'The video, also when it failed.': '视频，失败时也返回。',
  'Deletes the video and its request before their time; one that still runs is cancelled by `DELETE /video/generations/{id}`.':
    '提前删除视频及其请求；仍在运行的视频用 `DELETE /video/generations/{id}` 取消。',
  Deleted: '已删除',
  'The MP4 itself, once the video is completed. One `Range` of bytes may be asked for.':
    '视频完成后返回 MP4 文件本身。可以用 `Range` 请求一段字节。',
  'Only the video is there.': '只提供视频。',
  'The range.': '所请求的一段字节。',
  'It is in a store that callers can reach: `Location` is good for five minutes, for ranges, too.':
    '文件位于调用方可直接访问的存储中：`Location` 五分钟内有效，也可请求一段字节。',
  'Range not satisfiable.': '请求的范围无法满足。',
  'Input is free; output costs by the second of generated video. A client that uploads with a command-line HTTP tool may send an empty `Expect` header.':
    '输入不收费；输出按所生成视频的秒数收费。用命令行 HTTP 工具上传的客户端可以发送空的 `Expect` 请求头。',
  'WAV or MP3; drives the lip movement. At most {{mebibytes}} MiB and {{seconds}} s.':
    'WAV 或 MP3；驱动口型。最大 {{mebibytes}} MiB，最长 {{seconds}} 秒。',
  'MP4; background footage. At most {{mebibytes}} MiB.': 'MP4；背景视频。最大 {{mebibytes}} MiB。',
  'Default: the first published model of kind `avatar-talk`.': '默认为第一个已发布的 `avatar-talk` 类型的模型。',
  'Default `不使用分身`.': '默认 `不使用分身`。',
  'Finished, it returns the MP4 bytes with cost headers; the task is then removed and cannot be fetched again. HEAD never counts as fetching, and `Range` is ignored. A result is kept for {{minutes}} minutes.':
    '完成后返回 MP4 的字节和费用响应头；之后任务即移除，不能再次取走。HEAD 不算取走，`Range` 会被忽略。结果保留 {{minutes}} 分钟。',
  'Processing or failed as JSON; finished as the video.': '处理中或失败时返回 JSON；完成后返回视频。',
  'Listing fetches nothing: avatar-talk results stay fetchable.': '列出任务不算取走：数字人口播的结果仍可取走。',
  'Only tasks of this kind.': '仅此类型的任务。',
  'Only tasks of this status; `completed`, `error` and `removed` are of avatar-talk.':
    '仅此状态的任务；`completed`、`error` 和 `removed` 属于数字人口播。',
  'Only tasks of this model.': '仅此模型的任务。',
  'The body is judged as the operation judges it; nothing is counted, held or stored.':
    '请求体的检查与该操作相同；不计数、不冻结、不保存。',
  'An image': '图片',
  'An avatar-talk video': '数字人口播视频',
  'The quote.': '报价。',
  'Answers at once with HTTP 202 and the task id in `id`, unless `Prefer: wait=N` says otherwise.':
    '立即返回 HTTP 202，任务 id 在 `id` 中；可用 `Prefer: wait=N` 改为等待。',
  'Description of content and style. Required but for upscaling. How long it may be is a matter of the model.':
    '内容和风格的描述。放大以外必填。允许的长度由模型决定。',
  'Reference images. At most 14; 6 or fewer recommended.': '参考图。最多 14 张；建议不超过 6 张。',
  'True enables upscale mode, which requires one of `image_urls`. Supports 4K and 8K output.':
    '为 true 时开启放大模式，须有一个 `image_urls`。支持 4K 和 8K 输出。',
  'The images to edit, each an http or https URL or a data URI.':
    '要编辑的图片，每张为 http 或 https URL，或 data URI。',
  'Where the first image may be changed, likewise; of the same size.':
    '第一张图片中可以修改的区域，格式同上；尺寸须相同。',
  'An image to begin with: a file of the form, or `{"image_url"}` with an http or https URL or a data URI.':
    '起始图片：表单中的文件，或 `{"image_url"}`，其值为 http 或 https URL，或 data URI。',
  'The first and the last frame, for models that take them.': '首帧和尾帧，用于支持它们的模型。',
  'Images that the video refers to.': '视频的参考图。',
  'The path of the operation, without the root.': '操作的路径，不含根路径。',
  'What would be sent to it; of avatar-talk `{audio_seconds}`.':
    '要发送给该操作的内容；数字人口播为 `{audio_seconds}`。',
  'Media items: texts, images, videos and audio. `prompt` may stand for a text item.':
    '媒体条目：文本、图片、视频和音频。`prompt` 可以代替一个文本条目。',
  'Is converted to a text item at the front of `content`.': '会转换为 `content` 最前面的一个文本条目。',
  'Of the flat body of avatar video models: URL of the driving audio.':
    '用于数字人视频模型的扁平请求体：驱动音频的 URL。',
  'Of the flat body of avatar video models: URL of the background or reference video.':
    '用于数字人视频模型的扁平请求体：背景视频或参考视频的 URL。',
  'Version number of the avatar model.': '数字人模型的版本号。',
  'Default `16:9`. `16:9`, `9:16` or `1:1`, where the model has no list of its own.':
    '默认 `16:9`。模型没有自己的列表时，可选 `16:9`、`9:16` 或 `1:1`。',
  'Seconds. Default 5. 5, 8, 10 or 11, where the model has no list of its own.':
    '秒。默认 5。模型没有自己的列表时，可选 5、8、10 或 11。',
  'Cost of the task.': '任务的费用。',
  'What was available after the charge; fixed then.': '扣费后的可用余额；此后不再变化。',
  'Task id, `img_…`.': '任务 id，`img_…`。',
  'How to query the task.': '如何查询任务。',
  "The gateway's own signed link, good for at least {{hours}} hours; every GET signs it afresh.":
    '网关自己的签名链接，至少 {{hours}} 小时有效；每次 GET 都会重新签名。',
  'The file itself, of a task made with `response_format` `b64_json`; lists and webhooks name its `url`.':
    '文件本身，用于以 `response_format` `b64_json` 创建的任务；列表和 Webhook 中给出其 `url`。',
  'Task id, `vid_…`.': '任务 id，`vid_…`。',
  'Task id, `avt_…`.': '任务 id，`avt_…`。',
  'The completed state is the video itself, not a JSON status.': '完成后返回视频本身，而不是 JSON 状态。',
  'Seconds.': '秒。',
  '1 second equals 1000 tokens.': '1 秒等于 1000 个 token。',
  'Percent: 100 once it is completed, 0 before.': '百分比：完成后为 100，之前为 0。',
  'Unix seconds, as the two below.': 'Unix 时间戳（秒），下面两项也是。',
  'When the video is deleted.': '视频何时删除。',
  'The length that was asked for.': '请求的时长。',
  '`<width>x<height>`, as asked for or as it was made.': '`<width>x<height>`，请求的尺寸或实际生成的尺寸。',
  'Of a completed one.': '仅已完成的视频有。',
  'The amount that would be held.': '将会预扣的金额。',
  'Of a call: all that the model may cost, in `currency`.': '用于调用：该模型可能产生的各项价格，货币为 `currency`。',
  'The length of the video in seconds, with up to three decimals.': '视频的时长，单位为秒，最多三位小数。',
  'For usage statistics, 1 second equals 1000 tokens.': '用量统计中，1 秒等于 1000 个 token。',
  "What the video cost, in the gateway's currency, with up to six decimals.":
    '视频的费用，以网关的货币计，最多六位小数。',
};
