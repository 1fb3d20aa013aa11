/** The texts of the page. */
import { defineTexts } from '../../texts/define-texts.ts';

export const texts = defineTexts('team', {
  en: {
    title: 'Team',
    description: 'Who may see and change this account.',
  },
  zh: {
    title: '成员',
    description: '谁可以查看和修改本账户。',
  },
});
