/** The texts of the page. */
import { defineTexts } from '../../texts/define-texts.ts';

export const texts = defineTexts('keys', {
  en: {
    title: 'API tokens',
    description: 'Tokens let programs call the API on this account.',
  },
  zh: {
    title: 'API 令牌',
    description: '程序用令牌以本账户调用 API。',
  },
});
