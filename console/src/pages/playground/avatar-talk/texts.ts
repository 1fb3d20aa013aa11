/** The texts of the page. */
import { defineTexts } from '../../../texts/define-texts.ts';

export const texts = defineTexts('playground-avatar-talk', {
  en: {
    title: 'Avatar talk',
    description: 'Let a face in a film speak what a recording says.',
  },
  zh: {
    title: '数字人',
    description: '让影片中的人物说出录音内容。',
  },
});
