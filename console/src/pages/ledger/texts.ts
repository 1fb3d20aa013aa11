/** The texts of the page. */
import { defineTexts } from '../../texts/define-texts.ts';

export const texts = defineTexts('ledger', {
  en: {
    title: 'Ledger',
    description: 'Every entry of the account, newest first.',
  },
  zh: {
    title: '账本',
    description: '账户的每一笔记录,最新在前。',
  },
});
