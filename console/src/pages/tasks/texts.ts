/** The texts of the page. */
import { defineTexts } from '../../texts/define-texts.ts';

export const texts = defineTexts('tasks', {
  en: {
    title: 'Tasks',
    description: 'Images, videos and avatar talks, as they run.',
  },
  zh: {
    title: '任务',
    description: '图片、视频与数字人任务的实时进展。',
  },
});
