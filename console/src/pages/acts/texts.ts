/** The texts that only the owner's log has. */
import { defineTexts } from '../../texts/define-texts.ts';

export const texts = defineTexts('acts', {
  en: {
    description: 'Changes to this account: keys, members, settings, credits and resent events.',
    ownersOnly: 'Only owners of the account can see its audit log.',
    person: 'Person',
    subject: 'Subject',
    operator: 'Operator',
    byKey: 'API key “{{name}}”',
    byItself: 'Tollgate',
  },
  zh: {
    description: '此账户的操作记录：密钥、成员、设置、充值与重发的事件。',
    ownersOnly: '只有账户所有者可以查看审计日志。',
    person: '人员',
    subject: '对象',
    operator: '运营人员',
    byKey: 'API 密钥“{{name}}”',
    byItself: 'Tollgate',
  },
});
