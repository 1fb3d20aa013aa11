/** The texts of the page. */
import { defineTexts } from '../../texts/define-texts.ts';

export const texts = defineTexts('task', {
  en: {
    title: 'Task',
    description: 'What was asked, what happened, and what it cost.',
  },
  zh: {
    title: '任务',
    description: '请求内容、经过与费用。',
  },
});
