/** The texts of the page. */
import { defineTexts } from '../../texts/define-texts.ts';

export const texts = defineTexts('overview', {
  en: {
    title: 'Overview',
    description: 'Balance, spend and what is running.',
  },
  zh: {
    title: '概览',
    description: '余额、支出与正在进行的任务。',
  },
});
