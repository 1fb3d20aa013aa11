/** The texts of the page. */
import { defineTexts } from '../../texts/define-texts.ts';

export const texts = defineTexts('sign-in', {
  en: {
    title: 'Sign in',
    description: 'Tollgate console',
    invited: 'No account yet? You need an invitation from an owner or operator.',
    forgotten: 'Forgot your password? An operator can make a link for you to set a new one.',
    status: 'Service status',
  },
  zh: {
    title: '登录',
    description: 'Tollgate 控制台',
    invited: '还没有账户？请让账户所有者或运营人员邀请您。',
    forgotten: '忘记密码？运营人员可为您生成用于设置新密码的链接。',
    status: '服务状态',
  },
});
