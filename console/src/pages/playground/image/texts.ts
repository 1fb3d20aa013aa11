/** The texts of the page. */
import { defineTexts } from '../../../texts/define-texts.ts';

export const texts = defineTexts('playground-image', {
  en: {
    title: 'Image',
    description: 'Make an image and see the request behind it.',
  },
  zh: {
    title: '图片',
    description: '生成图片,并查看对应的请求。',
  },
});
