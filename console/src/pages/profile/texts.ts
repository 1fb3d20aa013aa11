/** The texts of the page. */
import { defineTexts } from '../../texts/define-texts.ts';

export const texts = defineTexts('profile', {
  en: {
    title: 'Profile',
    description: 'Your password and the places where you are signed in.',
  },
  zh: {
    title: '个人资料',
    description: '您的密码与已登录的设备。',
  },
});
