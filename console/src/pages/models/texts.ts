/** The texts of the page. */
import { defineTexts } from '../../texts/define-texts.ts';

export const texts = defineTexts('models', {
  en: {
    title: 'Models',
    description: 'What can be called, at which price, and how it is doing.',
  },
  zh: {
    title: '模型',
    description: '可调用的模型、价格与运行状况。',
  },
});
