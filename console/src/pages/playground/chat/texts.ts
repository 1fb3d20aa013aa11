/** The texts of the page. */
import { defineTexts } from '../../../texts/define-texts.ts';

export const texts = defineTexts('playground-chat', {
  en: {
    title: 'Chat',
    description: 'Talk to a model as your programs would.',
  },
  zh: {
    title: '对话',
    description: '像程序一样与模型对话。',
  },
});
