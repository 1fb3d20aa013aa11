/** The texts of the page. */
import { defineTexts } from '../../texts/define-texts.ts';

export const texts = defineTexts('operator-accounts', {
  en: {
    title: 'Accounts',
    description: 'All accounts of the service.',
  },
  zh: {
    title: '账户',
    description: '服务的全部账户。',
  },
});
