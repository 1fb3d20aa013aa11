/** The texts of the page. */
import { defineTexts } from '../../texts/define-texts.ts';

export const texts = defineTexts('operator-audit', {
  en: {
    title: 'Ledger audit',
    description: 'The result of the last audit.',
  },
  zh: {
    title: '账本核对',
    description: '最近一次核对的结果。',
  },
});
