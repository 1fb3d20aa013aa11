/** Usage tables as an answer and as a file, whatever they sum up: of an account, or of all. */
import { accountNames } from '../../accounts/account-names.ts';
import { keyNames } from '../../accounts/key-names.ts';
import type { AccountId } from '../../domain/ids.ts';
import type { Cell, CrossSums } from '../../postgres/cross-table.ts';
import type { Database } from '../../postgres/database.ts';
import type { ApiContext } from '../context.ts';
import type { DependenciesNow } from '../dependencies.ts';
import { answerCsv } from '../lists/list-answer.ts';
import { byteOrderMark } from '../presenters/csv.ts';
import {
  type Bounds,
  fileBounds,
  type Names,
  pageBounds,
  refuseTooMany,
  usageTableCsv,
  usageTableObject,
} from '../lists/usage-table.ts';

interface Asked {
  ctx: ApiContext;
  deps: Pick<ReturnType<DependenciesNow>, 'configuration' | 'database'>;
  /** Undefined: all accounts. */
  account: AccountId | undefined;
  query: { group: string; by?: string | undefined };
}

interface Summed<Sums, Figures> {
  read: (bounds: Bounds) => Promise<CrossSums<Sums>>;
  figuresOf: (sums: Sums) => Figures;
  /** The metric that was asked for. */
  valueOf: (figures: Figures) => number | null;
}

/** Returns how to answer with the table, and how with its file. */
export function usageTable<Sums, Figures extends Readonly<Record<string, unknown>>>(
  { ctx, deps: { configuration, database }, account, query: { group, by } }: Asked,
  { read, figuresOf, valueOf }: Summed<Sums, Figures>,
) {
  const summed = async (bounds: Bounds) => {
    const sums = await read(bounds).catch(refuseTooMany);
    const names = {
      group: await namesOf(database, account, group, sums.groups.map(groupOf)),
      column: await namesOf(database, account, by, sums.columns.map(columnOf)),
    };
    return { sums, names };
  };
  return {
    answer: async () => {
      const { sums, names } = await summed(pageBounds);
      return usageTableObject(sums, { hasColumns: by !== undefined, names, figuresOf, valueOf });
    },
    answerFile: async () => {
      const { sums, names } = await summed(fileBounds);
      const { currency } = configuration;
      answerCsv(ctx, byteOrderMark + usageTableCsv(sums, { names, figuresOf, group, by, currency }), {
        name: `usage-by-${group}`,
      });
    },
  };
}

const groupOf = ({ group }: Cell<unknown>) => group;
const columnOf = ({ column }: Cell<unknown>) => column;

async function namesOf(
  database: Database,
  account: AccountId | undefined,
  dimension: string | undefined,
  ids: readonly string[],
): Promise<Names> {
  if (dimension === 'key') return keyNames(database, account, ids);
  if (dimension === 'account') return accountNames(database, ids);
  return new Map();
}
