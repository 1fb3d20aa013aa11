/** The texts of the form. */
import { defineTexts } from '../../texts/define-texts.ts';

export const settingsTexts = defineTexts('account-settings', {
  en: {
    name: 'Name',
    nameMissing: 'Enter a name.',
    timeZone: 'Time zone',
    timeZoneHelp:
      'Used for the days and months of usage, ledger and statement, and for all times shown. Key limits still reset by UTC.',
    webhook: 'Webhook URL',
    lowBalance: 'Low-balance alert',
    lowBalanceHelp: 'A webhook is sent when the balance falls below this amount. Leave empty for no alert.',
    amountWrong: 'Enter an amount above 0 with at most six decimals, for example 100 or 0.5.',
    save: 'Save',
    saved: 'Saved',
  },
  zh: {
    name: '名称',
    nameMissing: '请填写名称。',
    timeZone: '时区',
    timeZoneHelp: '用于用量、资金明细与对账单的日期和月份，以及页面上的所有时间。密钥限额仍按 UTC 重置。',
    webhook: 'Webhook 地址',
    lowBalance: '余额提醒',
    lowBalanceHelp: '余额低于此金额时发送 Webhook。留空则不发送。',
    amountWrong: '请填写大于 0、最多六位小数的金额，例如 100 或 0.5。',
    save: '保存',
    saved: '已保存',
  },
});
