/** The texts of the choice of days. */
import { defineTexts } from '../../texts/define-texts.ts';

export const filterTexts = defineTexts('filters', {
  en: {
    range: 'Range',
    from: 'From',
    to: 'To',
    allDays: 'All time',
    today: 'Today',
    yesterday: 'Yesterday',
    days7: 'Last 7 days',
    days30: 'Last 30 days',
    days90: 'Last 90 days',
    thisMonth: 'This month',
    lastMonth: 'Last month',
    custom: 'Custom range',
  },
  zh: {
    range: '时间范围',
    from: '起始日期',
    to: '结束日期',
    allDays: '全部时间',
    today: '今天',
    yesterday: '昨天',
    days7: '最近 7 天',
    days30: '最近 30 天',
    days90: '最近 90 天',
    thisMonth: '本月',
    lastMonth: '上月',
    custom: '自定义',
  },
});
