/** Of files, and of batches that read and write them. English of the document, and its Chinese. */
export const filesSentences: Readonly<Record<string, string>> = {
  'A form. An account may keep {{count}} files, of {{gibibytes}} GiB in all.':
    '使用表单。一个账户最多保存 {{count}} 个文件，合计 {{gibibytes}} GiB。',
  'The file, of at most {{mebibytes}} MiB.': '文件，最大 {{mebibytes}} MiB。',
  '`batch` is the input of a batch, whose name ends in `.jsonl`; the others are kept as they are.':
    '`batch` 是批处理的输入，文件名以 `.jsonl` 结尾；其他用途的文件原样保存。',
  'From when on the time counts.': '从何时开始计时。',
  'How long it is kept. Without it, files of `batch` are kept for 30 days, others until they are deleted.':
    '保存多久。不填时，`batch` 的文件保存 30 天，其他文件保存到被删除为止。',
  'The file': '文件',
  'Only files of this purpose.': '仅此用途的文件。',
  'The `last_id` of the previous page.': '上一页的 `last_id`。',
  'The `last_id` of the previous page, which may have been deleted since.':
    '上一页的 `last_id`，对应的文件可以已被删除。',
  "The file's id.": '文件的 id。',
  'A batch that reads it goes on.': '正在读取它的批处理会继续运行。',
  'Its bytes. One `Range` of bytes may be asked for.': '文件的字节。可以用 `Range` 请求一段字节。',
  'Answers at once. First every line is checked, then the lines are sent as the models have room for them, each held and charged by itself. The price of a line is that of the moment of creation.':
    '立即返回。先检查每一行，再在模型有余力时发送各行，每一行单独冻结和扣费。每一行的价格以创建时为准。',
  'Chat completions': '对话补全',
  "The batch's id.": '批处理的 id。',
  'The batch, also when it failed.': '批处理，失败时也返回。',
  'In progress': '进行中',
  'Lines have mistakes': '行中有错误',
  'Lines under way are finished and charged, the others are not run. Once they have ended, the batch is `cancelled`, with the files of what was done.':
    '进行中的行会完成并扣费，其余的行不再运行。全部结束后，批处理变为 `cancelled`，并附上已完成部分的文件。',
  'It is being cancelled.': '正在取消。',
  Cancelling: '正在取消',
  'A file of purpose `batch`, one request a line: `{"custom_id", "method": "POST", "url", "body"}`.':
    '用途为 `batch` 的文件，每行一个请求：`{"custom_id", "method": "POST", "url", "body"}`。',
  'What all lines ask for, as their `url` says it; under any root with a leading `/v1`.':
    '所有行请求的接口，与各行的 `url` 一致；无论哪个根路径都以 `/v1` 开头。',
  'How long it may take: `1h` to `168h`. What was not sent by then is not run.':
    '最长可用时间：`1h` 到 `168h`。到时尚未发送的行不再运行。',
  'Up to 16 pairs of texts, handed back with the batch.': '最多 16 对文本，随批处理一并返回。',
  'How long the output files are kept, from when they are made; 30 days without it.':
    '输出文件自生成起保存多久；不填时为 30 天。',
  'Receives a signed POST with the batch when it has ended.':
    '批处理结束时，此地址会收到带签名的 POST，内容为该批处理。',
  'From 1; null: of the file as a whole.': '从 1 开始；null 表示针对整个文件。',
  'What was found wrong with the lines, up to 100 mistakes.': '各行中发现的错误，最多 100 个。',
  'Charged for its lines so far.': '到目前为止各行已扣的费用。',
  'Held for the lines that are under way.': '为进行中的行冻结的金额。',
  "The account's available balance.": '账户的可用余额。',
  'Why nothing is sent at the moment.': '目前为何没有发送任何行。',
  'Null: it is kept until it is deleted.': 'null 表示保存到被删除为止。',
};
