/** The names that Temporal knows: task queues, search attributes, the workflow type. */
import { defineSearchAttributeKey } from '@temporalio/common';
import { backgroundQueue, batchQueue } from '../domain/tasks/queues.ts';

/** Two gateways that share a Temporal server don't meet: every queue carries the prefix of its gateway. */
export interface QueueNames {
  /** Of workflows, and of `collect`, which Temporal hands to the very worker that completes the workflow task before it. */
  workflows: string;
  background: string;
  batches: string;
  submit(provider: string): string;
}

export const queueNames = (prefix: string): QueueNames => ({
  workflows: prefix,
  background: backgroundQueue(prefix),
  batches: batchQueue(prefix),
  submit: (provider) => `${prefix}:${provider}:submit`,
});

const keyword = (name: string) => defineSearchAttributeKey(name, 'KEYWORD');

/** Of every task's workflow, and of a batch's; of a delivery's the account only. */
export const searchAttributes = {
  account: keyword('TollgateAccount'),
  key: keyword('TollgateKey'),
  model: keyword('TollgateModel'),
  /** The first route's at the start, at the end the one that took the task. */
  provider: keyword('TollgateProvider'),
  kind: keyword('TollgateKind'),
  status: keyword('TollgateStatus'),
  /** In micro-units, from the task's end on; 0 of what cost nothing. */
  cost: defineSearchAttributeKey('TollgateCost', 'INT'),
};
