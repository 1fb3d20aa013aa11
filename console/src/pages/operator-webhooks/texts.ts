/** The texts of the page. */
import { defineTexts } from '../../texts/define-texts.ts';

export const texts = defineTexts('operator-webhooks', {
  en: {
    title: 'Webhook events of all accounts',
    description: 'What was sent and how receivers responded. Updated live; kept for 30 days.',
    account: 'Account',
    status: 'Status',
    type: 'Event',
    failed: 'Given up',
    pending: 'Sending',
    delivered: 'Delivered',
    none: 'No events yet. They appear here once an account has a webhook.',
    noneFound: 'No events match these filters.',
  },
  zh: {
    title: '所有账户的 Webhook 事件',
    description: '已发送的事件与接收方的响应。实时更新，保留 30 天。',
    account: '账户',
    status: '状态',
    type: '事件',
    failed: '已放弃',
    pending: '发送中',
    delivered: '已送达',
    none: '还没有事件。账户设置 Webhook 后，事件会显示在这里。',
    noneFound: '没有符合筛选条件的事件。',
  },
});
