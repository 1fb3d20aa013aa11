/** The texts of the page. */
import { defineTexts } from '../../texts/define-texts.ts';

export const texts = defineTexts('operator-acts', {
  en: {
    title: 'Audit log',
    description: 'Who changed what, and when.',
  },
  zh: {
    title: '审计日志',
    description: '谁在何时修改了什么。',
  },
});
