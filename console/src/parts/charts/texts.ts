/** The texts of charts. */
import { defineTexts } from '../../texts/define-texts.ts';

export const chartTexts = defineTexts('charts', {
  en: { asTable: 'Show as a table', legend: 'Colours', total: 'Total' },
  zh: { asTable: '以表格显示', legend: '图例', total: '合计' },
});
