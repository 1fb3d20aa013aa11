/** What the types of ledger entries are called, wherever entries are shown. */
import { defineTexts } from '../texts/define-texts.ts';

export const entryTexts = defineTexts('entries', {
  en: {
    credit: 'Top-up',
    hold: 'Hold',
    capture: 'Charge',
    release: 'Release',
    adjustment: 'Adjustment',
    write_off: 'Write-off',
  },
  zh: {
    credit: '充值',
    hold: '冻结',
    capture: '扣费',
    release: '解冻',
    adjustment: '调整',
    write_off: '核销',
  },
});
