/** The texts of the page. */
import { defineTexts } from '../../texts/define-texts.ts';

export const texts = defineTexts('operator-acts', {
  en: {
    title: 'Audit log',
    description:
      'Who changed what, when and why. Nothing in it can be changed: each entry is signed with the one before.',
    filters: 'Filters',
    action: 'What was done',
    actor: 'E-mail or actor',
    account: 'Id of an account',
    days: 'Days',
    reset: 'Show all',
    none: 'Nothing like that was done.',
    what: 'What',
    who: 'Who',
    on: 'Account',
    reason: 'Reason',
    when: 'When',
    details: 'Details',
    show: 'Details',
  },
  zh: {
    title: '审计日志',
    description: '谁在何时因何修改了什么。日志不可更改：每条记录都与前一条一同签名。',
    filters: '筛选',
    action: '操作类型',
    actor: '邮箱或操作者',
    account: '账户 ID',
    days: '日期',
    reset: '显示全部',
    none: '没有符合条件的操作。',
    what: '操作',
    who: '操作者',
    on: '账户',
    reason: '原因',
    when: '时间',
    details: '详情',
    show: '详情',
  },
});
