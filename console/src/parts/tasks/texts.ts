/** What tasks are called wherever they are shown. */
import { defineTexts } from '../../texts/define-texts.ts';

export const taskTexts = defineTexts('task-parts', {
  en: {
    image: 'Image',
    video: 'Video',
    avatar_talk: 'Avatar talk',
    waiting: 'Queued',
    position: 'Position {{position}}',
    resultImage: 'Result: image {{number}}',
    resultVideo: 'Result: video',
  },
  zh: {
    image: '图片',
    video: '视频',
    avatar_talk: '数字人口播',
    waiting: '排队中',
    position: '第 {{position}} 位',
    resultImage: '结果：图片 {{number}}',
    resultVideo: '结果：视频',
  },
});
