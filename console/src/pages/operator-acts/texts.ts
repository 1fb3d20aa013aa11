/** The texts that only the operators' log has. */
import { defineTexts } from '../../texts/define-texts.ts';

export const texts = defineTexts('operator-acts', {
  en: {
    description: 'Who changed what, when and why. Entries are chained and tamper-evident. All dates are in UTC.',
    actor: 'E-mail or actor',
    account: 'Account ID',
    on: 'Account',
  },
  zh: {
    description: '谁在何时因何修改了什么。记录前后相链，任何篡改都会被发现。日期均为 UTC。',
    actor: '邮箱或操作者',
    account: '账户 ID',
    on: '账户',
  },
});
