/** The texts of the form. */
import { defineTexts } from '../../texts/define-texts.ts';

export const settingsTexts = defineTexts('account-settings', {
  en: {
    webhook: 'Webhook',
    lowBalance: 'Low-balance alert',
    lowBalanceHelp: 'A webhook is sent when the balance falls below this amount. Leave empty for no alert.',
    amountWrong: 'Enter an amount above 0 with at most six decimals, for example 100 or 0.5.',
    save: 'Save',
    saved: 'Saved',
  },
  zh: {
    webhook: 'Webhook 地址',
    lowBalance: '余额提醒',
    lowBalanceHelp: '余额低于此金额时发送 Webhook。留空则不发送。',
    amountWrong: '请填写大于 0、最多六位小数的金额，例如 100 或 0.5。',
    save: '保存',
    saved: '已保存',
  },
});
