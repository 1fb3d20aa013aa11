/** The names that Temporal knows: task queues, search attributes, the workflow type. */
import { defineSearchAttributeKey } from '@temporalio/common';
import { errandsQueue } from '../domain/tasks/queues.ts';

/** Two gateways that share a Temporal server don't meet: every queue carries the prefix of its gateway. */
export interface QueueNames {
  /** Of workflows, and of what Temporal hands to the very worker that asks for it: collecting. */
  workflows: string;
  errands: string;
  submit(provider: string): string;
  /** Where tasks that an earlier release started are collected. */
  collect(provider: string): string;
}

export const queueNames = (prefix: string): QueueNames => ({
  workflows: prefix,
  errands: errandsQueue(prefix),
  submit: (provider) => `${prefix}:${provider}:submit`,
  collect: (provider) => `${prefix}:${provider}:collect`,
});

const keyword = (name: string) => defineSearchAttributeKey(name, 'KEYWORD');

/** Of every task's workflow; of a delivery's the account only. */
export const searchAttributes = {
  account: keyword('TollgateAccount'),
  key: keyword('TollgateKey'),
  model: keyword('TollgateModel'),
  /** The first route's at the start, at the end the one that took the task. */
  provider: keyword('TollgateProvider'),
  kind: keyword('TollgateKind'),
  status: keyword('TollgateStatus'),
  /** In micro-yuan, from the task's end on; 0 of what cost nothing. */
  cost: defineSearchAttributeKey('TollgateCost', 'INT'),
};
