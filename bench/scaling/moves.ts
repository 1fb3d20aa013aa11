/** A call and a task as the ledger books them. */
import { randomUUID } from 'node:crypto';
import type { AccountId, KeyId, TaskId } from '../../src/domain/ids.ts';
import { micros } from '../../src/domain/money.ts';
import type { CallHold, CallLedger, CallPrice } from '../../src/ledger/call-ledger.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { newBlobKey, newTaskId } from '../../src/postgres/new-ids.ts';

export interface Caller {
  account: AccountId;
  keys: readonly KeyId[];
  /** The process that answers for its holds. */
  owner: string;
}

const price: CallPrice = {
  total: micros(2_800n),
  lines: [
    { unit: 'input_token', units: 1_000, pricePerMillion: micros(2_000_000n), amount: micros(2_000n) },
    { unit: 'output_token', units: 100, pricePerMillion: micros(8_000_000n), amount: micros(800n) },
  ],
  usageSource: 'upstream',
  priceVersion: 'bench',
};
const taskPrice = micros(200_000n);
const taskUnits = { thousandths: 1_000n, unit: 'image', unitPrice: taskPrice, priceVersion: 'bench' } as const;

let turn = 0;
/** Keys take turns. */
function keyOf({ keys }: Caller): KeyId {
  const key = keys[turn++ % keys.length];
  if (key === undefined) throw new Error('no key to call with');
  return key;
}

export async function admittedCall(calls: CallLedger, caller: Caller): Promise<CallHold> {
  const answer = await calls.admit({
    ...{ account: caller.account, key: keyOf(caller), owner: caller.owner },
    ...{ requestId: `req_${randomUUID()}`, model: 'bench' },
    request: {
      needs: 'chat',
      model: 'bench',
      maintenance: false,
      hold: micros(5_000n),
      currency: 'CNY',
      isTask: false,
    },
    ...{ lines: price.lines, priceVersion: price.priceVersion },
    overrunFactor: 2,
  });
  if (answer.admitted !== 'yes') throw new Error('a call was refused');
  return answer.hold;
}

export async function settledCall(calls: CallLedger, hold: CallHold): Promise<void> {
  await calls.settle(hold, price);
}

interface AdmittedTask {
  account: AccountId;
  key: KeyId;
  task: TaskId;
  model: string;
  requestId: string;
}

export async function admittedTask(ledger: Ledger, caller: Caller): Promise<AdmittedTask> {
  const key = keyOf(caller);
  const shared = { model: 'bench-image', requestId: `req_${randomUUID()}` };
  const id = newTaskId('image');
  const answer = await ledger.admitTask({
    account: caller.account,
    units: taskUnits,
    request: {
      needs: 'standard',
      model: 'bench-image',
      maintenance: false,
      hold: taskPrice,
      currency: 'CNY',
      isTask: true,
    },
    task: { ...shared, id, kind: 'image', keyId: key, request: { prompt: 'a gate' }, terms: { price: 'bench' } },
  });
  if (answer.admitted !== 'new') throw new Error('a task was refused');
  return { ...shared, account: caller.account, key, task: id };
}

/** Its file is named and was never written: only rows are looked at. */
export async function settledTask(ledger: Ledger, admitted: AdmittedTask): Promise<void> {
  const file = {
    blobKey: newBlobKey(`results/${admitted.task}`),
    mediaType: 'image/png',
    ...{ bytes: 1_500_000, sha256: '0'.repeat(64), width: 1_024, height: 1_024 },
  };
  await ledger.settleTask({
    ...admitted,
    ...{ price: taskPrice, units: taskUnits, durationMs: null, files: [file] },
  });
}
