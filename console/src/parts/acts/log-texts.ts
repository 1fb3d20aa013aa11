/** The texts that the audit logs of owners and of operators share. */
import { defineTexts } from '../../texts/define-texts.ts';

export const logTexts = defineTexts('act-log', {
  en: {
    title: 'Audit log',
    action: 'Action',
    reset: 'Show all',
    none: 'No matching events.',
    csv: 'Download CSV',
    who: 'Actor',
    reason: 'Reason',
    when: 'Time',
    details: 'Details',
  },
  zh: {
    title: '审计日志',
    action: '操作类型',
    reset: '显示全部',
    none: '没有符合条件的记录。',
    csv: '下载 CSV',
    who: '操作者',
    reason: '原因',
    when: '时间',
    details: '详情',
  },
});
