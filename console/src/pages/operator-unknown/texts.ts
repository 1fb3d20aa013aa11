/** The texts of the page. */
import { defineTexts } from '../../texts/define-texts.ts';

export const texts = defineTexts('operator-unknown', {
  en: {
    title: 'Unknown outcomes',
    description: 'Paid calls whose outcome nobody knows yet.',
  },
  zh: {
    title: '结果未知的任务',
    description: '尚不知结果的付费调用。',
  },
});
