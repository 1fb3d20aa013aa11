/** The texts of the page. */
import { defineTexts } from '../../texts/define-texts.ts';

export const texts = defineTexts('statement', {
  en: {
    title: 'Statement',
    description: 'A month of the account, from balance to balance.',
  },
  zh: {
    title: '月结单',
    description: '一个月内从期初到期末余额的全部往来。',
  },
});
