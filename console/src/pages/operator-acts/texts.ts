/** The texts of the page. */
import { defineTexts } from '../../texts/define-texts.ts';

export const texts = defineTexts('operator-acts', {
  en: {
    title: 'Audit log',
    description: 'Who changed what, when and why. Entries are chained and tamper-evident. All dates are in UTC.',
    filters: 'Filters',
    action: 'Action',
    actor: 'E-mail or actor',
    account: 'Account ID',
    reset: 'Show all',
    none: 'No matching events.',
    what: 'Action',
    who: 'Actor',
    on: 'Account',
    reason: 'Reason',
    when: 'Time',
    details: 'Details',
    show: 'Details',
  },
  zh: {
    title: '审计日志',
    description: '谁在何时因何修改了什么。记录前后相链，任何篡改都会被发现。日期均为 UTC。',
    filters: '筛选',
    action: '操作类型',
    actor: '邮箱或操作者',
    account: '账户 ID',
    reset: '显示全部',
    none: '没有符合条件的记录。',
    what: '操作',
    who: '操作者',
    on: '账户',
    reason: '原因',
    when: '时间',
    details: '详情',
    show: '详情',
  },
});
