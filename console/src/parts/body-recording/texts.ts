/** The texts of the panel. */
import { defineTexts } from '../../texts/define-texts.ts';

export const recordingTexts = defineTexts('body-recording', {
  en: {
    title: 'Recorded bodies',
    on: 'On',
    off: 'Off',
    explained:
      'Off by default. When on, the request and response body of each call are stored encrypted, up to {{size}} KB each, and shown in the details of a request. Only owners can read them, and each view is recorded in the audit log.',
    explainedToOperators: 'Only owners can turn this on, and only they can read what is recorded.',
    forbidden: 'The operator of this gateway doesn’t allow bodies to be recorded.',
    record: 'Record request and response bodies',
    days: 'Retention (days)',
    daysWrong: 'Enter a whole number from 1 to 30.',
    daysHelp: 'Also applies to bodies already recorded.',
    fields: 'Redacted fields',
    fieldsHelp:
      'JSON fields with these names are replaced by “[redacted]” before anything is stored. Press Enter after each name.',
    save: 'Apply',
    saved: 'Saved',
    turnOff: 'Turn off',
    deleteAll: 'Delete all recorded bodies',
    deleteTitle: 'Delete all recorded bodies?',
    deleteText: 'This can’t be undone. The requests themselves stay in the list.',
    deleted: 'Deleted: {{count}}',
  },
  zh: {
    title: '请求内容记录',
    on: '已开启',
    off: '已关闭',
    explained:
      '默认关闭。开启后，每次调用的请求和响应内容会加密保存（各最多 {{size}} KB），并显示在请求详情中。只有所有者可以查看，每次查看都会写入审计日志。',
    explainedToOperators: '只有所有者可以开启，也只有所有者可以查看记录的内容。',
    forbidden: '此网关的运营方不允许记录请求内容。',
    record: '记录请求和响应的内容',
    days: '保留天数',
    daysWrong: '请填写 1 到 30 的整数。',
    daysHelp: '对已记录的内容同样生效。',
    fields: '隐去的字段',
    fieldsHelp: '保存前，这些名称的 JSON 字段会替换为“[redacted]”。每输入一个名称后按回车。',
    save: '应用',
    saved: '已保存',
    turnOff: '关闭',
    deleteAll: '删除全部已记录内容',
    deleteTitle: '删除全部已记录的内容？',
    deleteText: '删除后无法恢复。请求记录本身会保留。',
    deleted: '已删除 {{count}} 条',
  },
});
