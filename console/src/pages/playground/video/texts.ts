/** The texts of the page. */
import { defineTexts } from '../../../texts/define-texts.ts';

export const texts = defineTexts('playground-video', {
  en: {
    title: 'Video',
    description: 'Make a video and see the request behind it.',
  },
  zh: {
    title: '视频',
    description: '生成视频,并查看对应的请求。',
  },
});
