/** The names of the actions in the audit log. */
import { defineTexts } from '../../texts/define-texts.ts';

const en = {
  'log.begun': 'Log started',
  'account.created': 'Account created',
  'account.changed': 'Account changed',
  'account.suspended': 'Account suspended',
  'account.resumed': 'Account resumed',
  'account.credited': 'Account credited',
  'account.adjusted': 'Account adjusted',
  'webhook_secret.rotated': 'Webhook secret rotated',
  'body_recording.changed': 'Recording of bodies changed',
  'bodies.deleted': 'Recorded bodies deleted',
  'body.read': 'Recorded body read',
  'event.replayed': 'Webhook event resent',
  'task.cancelled': 'Task cancelled',
  'batch.cancelled': 'Batch cancelled',
  'key.created': 'Key created',
  'key.changed': 'Key changed',
  'key.revoked': 'Key revoked',
  'person.created': 'Person created',
  'person.invited': 'One-time link created',
  'person.joined': 'Invitation accepted',
  'person.changed': 'Person changed',
  'person.removed': 'Person removed',
  'person.disabled': 'Person disabled',
  'person.enabled': 'Person enabled',
  'invitation.revoked': 'One-time link revoked',
  'password.changed': 'Password changed',
  'model.switched': 'Model switch changed',
  'outcome.reviewed': 'Unknown outcome resolved',
  'outcome.reopened': 'Unknown outcome reopened',
} as const;

export const actionTexts = defineTexts('operator-actions', {
  en,
  zh: {
    'log.begun': '日志开始',
    'account.created': '新建账户',
    'account.changed': '更改账户',
    'account.suspended': '停用账户',
    'account.resumed': '恢复账户',
    'account.credited': '账户充值',
    'account.adjusted': '账户调整',
    'webhook_secret.rotated': '轮换 Webhook 密钥',
    'body_recording.changed': '更改请求内容记录',
    'bodies.deleted': '删除已记录的内容',
    'body.read': '查看请求内容',
    'event.replayed': '重发 Webhook 事件',
    'task.cancelled': '取消任务',
    'batch.cancelled': '取消批处理',
    'key.created': '新建密钥',
    'key.changed': '更改密钥',
    'key.revoked': '吊销密钥',
    'person.created': '新建人员',
    'person.invited': '生成一次性链接',
    'person.joined': '接受邀请',
    'person.changed': '更改人员',
    'person.removed': '移除人员',
    'person.disabled': '禁用人员',
    'person.enabled': '启用人员',
    'invitation.revoked': '撤销一次性链接',
    'password.changed': '更改密码',
    'model.switched': '更改模型开关',
    'outcome.reviewed': '处理待核实的调用',
    'outcome.reopened': '重新打开待核实的调用',
  },
});

export type Action = keyof typeof en;

/** A newer server may know more of them. */
export const isKnown = (action: string): action is Action => Object.hasOwn(en, action);

export const actions: readonly string[] = Object.keys(en);
