/** The texts of the page. */
import { defineTexts } from '../../texts/define-texts.ts';

export const texts = defineTexts('operator-people', {
  en: {
    title: 'People',
    description: 'Everybody who can sign in.',
  },
  zh: {
    title: '人员',
    description: '所有可以登录的人。',
  },
});
