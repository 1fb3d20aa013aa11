/** The texts of what operators' pages share. */
import { defineTexts } from '../../texts/define-texts.ts';

export const operatorTexts = defineTexts('operator-parts', {
  en: {
    byKey: 'API key “{{name}}”',
    byCli: 'Command line, {{name}}',
    byItself: 'Tollgate',
    link: 'One-time link',
    linkTitle: 'A link for {{email}}',
    linkWarning: 'Send it only to {{email}}. It works once, within seven days, and is shown only this once.',
    active: 'Active',
    suspended: 'Suspended',
  },
  zh: {
    byKey: 'API 密钥“{{name}}”',
    byCli: '命令行，{{name}}',
    byItself: 'Tollgate',
    link: '一次性链接',
    linkTitle: '给 {{email}} 的链接',
    linkWarning: '请只发给 {{email}}。链接只能使用一次，七天内有效，且只显示这一次。',
    active: '正常',
    suspended: '已停用',
  },
});
