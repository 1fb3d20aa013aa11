/**
 * What may happen to money, as random steps over the ledger's own methods. The same steps are taken over rows in memory
 * and over the real database by many processes; to add a move, add a line to the table.
 */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { GatewayError } from '../../src/domain/errors.ts';
import type { TaskId } from '../../src/domain/ids.ts';
import { micros } from '../../src/domain/money.ts';
import { type CallHold, type CallLedger, streamedAnswer } from '../../src/ledger/call-ledger.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { newTaskId } from '../../src/postgres/new-ids.ts';
import { callAdmissionOf, callPrice } from './calls.ts';
import { admissionOf, type Customer, failureOf, successOf } from './money.ts';

/** So many are looked among for one to close. */
export const newestMax = 6;

/** Who takes steps: a process with its ledger, and a way to find what it or any other process has begun. */
export interface Actor {
  ledger: Ledger;
  calls: CallLedger;
  /** For the holds of its calls. */
  owner: string;
  /** The newest tasks or calls of an account, closed ones too, so that repeats and races come by themselves. */
  newestTasks: (account: string) => Promise<readonly FoundTask[]>;
  newestCalls: (account: string) => Promise<readonly CallHold[]>;
}

export interface FoundTask extends Customer {
  task: TaskId;
}

/** Plain values, to be sent to another process. Each move takes what it needs of them. */
export interface Step {
  move: MoveName;
  /** Of the customers, modulo their number. */
  who: number;
  amount: number;
  nth: number;
  idempotencyKey: string | null;
}

/** What was reported to the caller of a step: it has to be in the ledger, whatever died afterwards. */
export interface Reported {
  that:
    | 'credited'
    | 'adjusted'
    | 'not adjusted'
    | 'task admitted'
    | 'call admitted'
    | 'task succeeded'
    | 'task failed'
    | 'task cancelled'
    | 'call charged'
    | 'refused'
    | 'nothing';
  /** Of the task or transfer. */
  id: string;
  amount: number;
  account: string;
  /** The code of a refusal. */
  code?: string;
}

interface Move {
  /** How often it is drawn, against the others. */
  weight: number;
  take: (actor: Actor, who: Customer, step: Step) => Promise<Omit<Reported, 'account'>>;
}

const picked = <Found>(all: readonly Found[], nth: number) => all[nth % Math.max(1, all.length)];
const nothing = { that: 'nothing', id: '', amount: 0 } as const;

const moves = {
  credit: {
    weight: 2,
    async take({ ledger }, { account }, { amount }) {
      await ledger.credit(account, micros(BigInt(amount * 3 + 1)), 'for a test');
      return { that: 'credited', id: account, amount: amount * 3 + 1 };
    },
  },
  adjust: {
    weight: 1,
    async take({ ledger }, { account }, { amount, nth }) {
      const { adjusted } = await ledger.adjust(account, micros(BigInt(nth % 2 === 0 ? amount : -amount)), 'for a test');
      return { that: adjusted ? 'adjusted' : 'not adjusted', id: account, amount };
    },
  },
  admitTask: {
    weight: 4,
    async take({ ledger }, who, step) {
      const id = newTaskId('image');
      const admission = admissionOf(who, BigInt(step.amount), { id, ...bindingOf(step) });
      const task = { ...admission.task, requestId: requestIdOf(step) };
      const answer = await ledger.admitTask({ ...admission, task });
      if (answer.admitted === 'no') return refusedWith(answer.refusal);
      return answer.admitted === 'new' ? { that: 'task admitted', id, amount: step.amount } : nothing;
    },
  },
  settleTask: {
    weight: 3,
    async take({ ledger, newestTasks }, { account }, { amount, nth }) {
      const found = picked(await newestTasks(account), nth);
      if (!found) return nothing;
      const { ended } = await ledger.settleTask(successOf(found, found.task, BigInt(amount)));
      return ended ? { that: 'task succeeded', id: found.task, amount } : nothing;
    },
  },
  releaseTask: {
    weight: 2,
    async take({ ledger, newestTasks }, { account }, { amount, nth }) {
      const found = picked(await newestTasks(account), nth);
      if (!found) return nothing;
      const state = amount % 2 === 0 ? 'failed' : 'cancelled';
      const { ended } = await ledger.releaseTask(failureOf(found, found.task, state));
      return ended ? { that: `task ${state}`, id: found.task, amount: 0 } : nothing;
    },
  },
  admitCall: {
    weight: 4,
    async take({ calls, owner }, who, step) {
      const admission = { ...callAdmissionOf(who, BigInt(step.amount), owner), ...bindingOf(step) };
      const answer = await calls.admit({ ...admission, requestId: requestIdOf(step) });
      if (answer.admitted === 'no') return refusedWith(answer.refusal);
      return answer.admitted === 'yes'
        ? { that: 'call admitted', id: answer.hold.transferId, amount: step.amount }
        : nothing;
    },
  },
  settleCall: {
    weight: 3,
    async take({ calls, newestCalls }, { account }, { amount, nth }) {
      const hold = picked(await newestCalls(account), nth);
      if (!hold) return nothing;
      const answer = hold.isKeyed && amount % 3 > 0 ? { answer: streamedAnswer } : {};
      const charged = await calls.settle(hold, { ...callPrice(BigInt(amount)), ...answer });
      return charged > 0n ? { that: 'call charged', id: hold.transferId, amount: Number(charged) } : nothing;
    },
  },
  releaseCall: {
    weight: 2,
    async take({ calls, newestCalls }, { account }, { nth, amount }) {
      const hold = picked(await newestCalls(account), nth);
      if (!hold) return nothing;
      await calls.release(hold, amount % 2 === 0 ? 'upstream_error' : 'owner_lost');
      return nothing;
    },
  },
} satisfies Record<string, Move>;

type MoveName = keyof typeof moves;
const names = Object.keys(moves) as MoveName[];

export const arbitraryStep: fc.Arbitrary<Step> = fc.record({
  move: fc.oneof(...names.map((name) => ({ arbitrary: fc.constant(name), weight: moves[name].weight }))),
  who: fc.nat(3),
  amount: fc.nat(60),
  nth: fc.nat(newestMax - 1),
  idempotencyKey: fc.oneof(
    { arbitrary: fc.constant(null), weight: 3 },
    { arbitrary: fc.constantFrom('a', 'b', 'c'), weight: 1 },
  ),
});

/** Takes a step for its customer; returns what was reported. */
export async function takeStep(actor: Actor, customers: readonly Customer[], step: Step): Promise<Reported> {
  const who = customers[step.who % customers.length];
  if (!who) throw new Error('there are no customers');
  return { ...(await moves[step.move].take(actor, who, step)), account: who.account };
}

/** The seed of this run, to be printed; `TEST_SEED` repeats one. */
export const seedOfRun = (): number => Number(process.env['TEST_SEED'] || Math.floor(Math.random() * 2 ** 31));

/** The request's id contains the idempotency key that came with it, so that a hold's entry has it, too. */
const requestIdOf = ({ idempotencyKey }: Step) => `req/${idempotencyKey ?? ''}/${randomUUID()}`;
export const isKeyedRequest = (requestId: string): boolean => !requestId.startsWith('req//');

/** Two bodies, so that some keys come again with another one. */
const bindingOf = ({ idempotencyKey, amount }: Step) =>
  idempotencyKey === null
    ? {}
    : { idempotency: { key: idempotencyKey, bodyHash: Buffer.alloc(32, amount < 50 ? 1 : 2) } };

const refusedWith = ({ code }: GatewayError) => ({ that: 'refused', id: '', amount: 0, code }) as const;
