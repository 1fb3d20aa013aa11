/** The texts of the frame around the playground's pages. */
import { defineTexts } from '../../texts/define-texts.ts';

export const texts = defineTexts('playground', {
  en: { kinds: 'What to make', chat: 'Chat', image: 'Image', video: 'Video', 'avatar-talk': 'Avatar talk' },
  zh: { kinds: '要生成什么', chat: '对话', image: '图片', video: '视频', 'avatar-talk': '数字人' },
});
