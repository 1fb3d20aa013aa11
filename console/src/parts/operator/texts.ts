/** The texts of what operators' pages share. */
import { defineTexts } from '../../texts/define-texts.ts';

export const operatorTexts = defineTexts('operator-parts', {
  en: {
    byKey: 'Token “{{name}}”',
    byCli: 'Command line, {{name}}',
    byItself: 'Tollgate',
    link: 'One-time link',
    linkTitle: 'A link for {{email}}',
    linkWarning: 'Send it to {{email}}. It can be used once, for seven days, and is shown this once.',
    active: 'Active',
    suspended: 'Suspended',
  },
  zh: {
    byKey: '令牌“{{name}}”',
    byCli: '命令行，{{name}}',
    byItself: 'Tollgate',
    link: '一次性链接',
    linkTitle: '给 {{email}} 的链接',
    linkWarning: '请发给 {{email}}。链接七天内可用一次，且只显示这一次。',
    active: '正常',
    suspended: '已停用',
  },
});
