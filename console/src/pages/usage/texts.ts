/** The texts of the page. */
import { defineTexts } from '../../texts/define-texts.ts';

export const texts = defineTexts('usage', {
  en: {
    title: 'Usage',
    description: 'Spend and calls by day, model and token.',
  },
  zh: {
    title: '用量',
    description: '按日期、模型与令牌查看支出和调用。',
  },
});
