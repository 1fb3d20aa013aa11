/** The texts of the page. */
import { defineTexts } from '../../texts/define-texts.ts';

export const texts = defineTexts('sign-in', {
  en: {
    title: 'Sign in',
    description: 'To the Tollgate console.',
    invited: 'No account yet? You need an invitation from an owner or operator.',
  },
  zh: {
    title: '登录',
    description: '进入 Tollgate 控制台。',
    invited: '还没有账户？请让账户所有者或运营人员邀请您。',
  },
});
