/** The texts of the page. */
import { defineTexts } from '../../texts/define-texts.ts';

export const texts = defineTexts('operator-batches', {
  en: {
    title: 'Batches of all accounts',
    description: 'Batches in progress, how far they are, and what they are waiting for.',
    shown: 'Batches to show',
    under_way: 'In progress',
    all: 'All',
    account: 'Account',
    seen: 'Last active',
    actions: 'Actions',
    noneUnderWay: 'No batches in progress.',
    none: 'No account has created a batch yet.',
  },
  zh: {
    title: '所有账户的批处理',
    description: '正在运行的批处理、进度以及等待的原因。',
    shown: '显示范围',
    under_way: '进行中',
    all: '全部',
    account: '账户',
    seen: '最近活动',
    actions: '操作',
    noneUnderWay: '没有进行中的批处理。',
    none: '还没有账户创建批处理。',
  },
});
