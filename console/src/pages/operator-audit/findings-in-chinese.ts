/** What a check of the ledger audit found, in Chinese: the audit says in English what is wrong in each case. */
const byCheck: Readonly<Record<string, string | undefined>> = {
  entries: '资金记录自相矛盾。',
  chains: '资金记录的链条断裂。',
  holds: '冻结与其记录不符。',
  counters: '密钥计数与其记录不符。',
  acts: '审计日志的链条断裂。',
  facts: '设置与审计日志不符。',
  rights: '权限在网关之外被更改。',
  tasks: '任务与其签封或资金记录不符。',
  charges: '扣费与价格不符。',
  costs: '成本与调用记录不符。',
  blobs: '文件缺失或被更改。',
  anchors: '自上次核对以来有记录被截去。',
  workflows: '任务与其工作流不符。',
};

/** Undefined for a check of a newer server. */
export const findingInChinese = (check: string): string | undefined => byCheck[check];
