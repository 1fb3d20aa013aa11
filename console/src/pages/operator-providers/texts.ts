/** The texts of the page. */
import { defineTexts } from '../../texts/define-texts.ts';

export const texts = defineTexts('operator-providers', {
  en: {
    title: 'Providers',
    description: 'The upstreams and how they are doing.',
  },
  zh: {
    title: '上游服务',
    description: '上游服务及其运行状况。',
  },
});
