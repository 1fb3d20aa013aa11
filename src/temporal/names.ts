/** The names that Temporal knows: task queues, search attributes, the workflow type. */
import { defineSearchAttributeKey, type SearchAttributeType } from '@temporalio/common';

/** Two gateways that share a Temporal server don't meet: every queue carries the prefix of its gateway. */
export interface QueueNames {
  workflows: string;
  submit(provider: string): string;
  collect(provider: string): string;
}

export const queueNames = (prefix: string): QueueNames => ({
  workflows: prefix,
  submit: (provider) => `${prefix}:${provider}:submit`,
  collect: (provider) => `${prefix}:${provider}:collect`,
});

const keyword = (name: string) => defineSearchAttributeKey(name, 'KEYWORD' satisfies SearchAttributeType);

export const searchAttributes = {
  account: keyword('TollgateAccount'),
  key: keyword('TollgateKey'),
  model: keyword('TollgateModel'),
  provider: keyword('TollgateProvider'),
  kind: keyword('TollgateKind'),
  status: keyword('TollgateStatus'),
};
