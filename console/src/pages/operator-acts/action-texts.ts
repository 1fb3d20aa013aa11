/** What the acts of the log are called. */
import { defineTexts } from '../../texts/define-texts.ts';

const en = {
  'log.begun': 'Log begun',
  'account.adopted': 'Account taken over',
  'account.created': 'Account created',
  'account.changed': 'Account changed',
  'account.suspended': 'Account suspended',
  'account.resumed': 'Account resumed',
  'account.credited': 'Account credited',
  'account.adjusted': 'Account adjusted',
  'webhook_secret.rotated': 'Webhook secret renewed',
  'event.replayed': 'Event sent again',
  'task.cancelled': 'Task cancelled',
  'key.adopted': 'Token taken over',
  'key.created': 'Token created',
  'key.changed': 'Token changed',
  'key.revoked': 'Token revoked',
  'person.created': 'Person created',
  'person.invited': 'One-time link made',
  'person.joined': 'One-time link used',
  'person.changed': 'Person changed',
  'person.removed': 'Person removed',
  'person.disabled': 'Person disabled',
  'person.enabled': 'Person enabled',
  'invitation.revoked': 'One-time link taken back',
  'password.changed': 'Password changed',
  'model.switched': 'Model switched',
  'outcome.reviewed': 'Unknown outcome ticked off',
  'outcome.reopened': 'Unknown outcome reopened',
} as const;

export const actionTexts = defineTexts('operator-actions', {
  en,
  zh: {
    'log.begun': '日志开始',
    'account.adopted': '接管账户',
    'account.created': '新建账户',
    'account.changed': '更改账户',
    'account.suspended': '停用账户',
    'account.resumed': '恢复账户',
    'account.credited': '账户充值',
    'account.adjusted': '账户调整',
    'webhook_secret.rotated': '更换 Webhook 密钥',
    'event.replayed': '重发事件',
    'task.cancelled': '取消任务',
    'key.adopted': '接管令牌',
    'key.created': '新建令牌',
    'key.changed': '更改令牌',
    'key.revoked': '吊销令牌',
    'person.created': '新建人员',
    'person.invited': '生成一次性链接',
    'person.joined': '使用一次性链接',
    'person.changed': '更改人员',
    'person.removed': '移除人员',
    'person.disabled': '禁用人员',
    'person.enabled': '启用人员',
    'invitation.revoked': '撤回一次性链接',
    'password.changed': '更改密码',
    'model.switched': '切换模型',
    'outcome.reviewed': '处理未知结果',
    'outcome.reopened': '重新打开未知结果',
  },
});

export type Action = keyof typeof en;

/** A newer server may know more of them. */
export const isKnown = (action: string): action is Action => Object.hasOwn(en, action);

export const actions: readonly string[] = Object.keys(en);
