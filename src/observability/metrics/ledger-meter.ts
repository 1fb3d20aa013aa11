/** Counts what the ledger commits: money, entries, tasks. The process that commits counts, so the sum over all processes is what the ledger says. */
import type { EntryType, Legs } from '../../domain/billing/postings.ts';
import { implausibleUsage } from '../../domain/billing/overrun.ts';
import type { Committed, LedgerWatch } from '../../ledger/commit/ledger-watch.ts';
import type { ProcessMetrics } from './metric-registry.ts';
import type { CounterCell } from './cells.ts';

const microsPerUnit = 1_000_000;

/** Of an entry type: its count and its money. */
interface TypeCells {
  entries: CounterCell;
  money: CounterCell;
}

export function createLedgerMeter(metrics: ProcessMetrics): LedgerWatch {
  const types = new Map<EntryType, TypeCells>();
  const captured = new Map<string | undefined, CounterCell>();
  const groupMoves = metrics.histogram('tollgate_ledger_group_moves');
  const commitSeconds = metrics.histogram('tollgate_ledger_commit_duration_seconds');
  const failures = metrics.counter('tollgate_ledger_commit_failures_total');

  const cellsOf = (type: EntryType): TypeCells => {
    let cells = types.get(type);
    if (!cells) {
      cells = {
        entries: metrics.counter('tollgate_ledger_entries_total', type),
        money: metrics.counter('tollgate_ledger_moved_amount_total', type),
      };
      types.set(type, cells);
    }
    return cells;
  };
  const capturedOf = (model: string | undefined): CounterCell => {
    let cell = captured.get(model);
    if (!cell) captured.set(model, (cell = metrics.counter('tollgate_captured_amount_total', model ?? 'none')));
    return cell;
  };

  const countTasks = ({ newTasks, endedTasks, now }: Committed) => {
    for (const { kind, model } of newTasks) metrics.counter('tollgate_tasks_accepted_total', kind, model).add();
    for (const { task, end } of endedTasks) {
      const code = end.state === 'succeeded' ? 'none' : end.error.code;
      metrics.counter('tollgate_tasks_ended_total', task.kind, end.state, code).add();
      const seconds = Math.max(0, now.getTime() - task.createdAt.getTime()) / 1000;
      metrics.histogram('tollgate_task_duration_seconds', task.kind, end.state).observe(seconds);
    }
  };

  return {
    committed(group) {
      for (const { type, legs, subject, reason } of group.entries()) {
        const cells = cellsOf(type);
        const money = Number(movedBy(type, legs)) / microsPerUnit;
        cells.entries.add();
        cells.money.add(money);
        if (type === 'capture') capturedOf(subject.model).add(money);
        else if (type === 'write_off' && reason === implausibleUsage) {
          metrics.counter('tollgate_implausible_usage_total', subject.model ?? 'none').add();
        }
      }
      if (group.newTasks.length > 0 || group.endedTasks.length > 0) countTasks(group);
    },
    took(moves, ms) {
      groupMoves.observe(moves);
      commitSeconds.observe(ms / 1000);
    },
    failed() {
      failures.add();
    },
  };
}

/** Micro-units, never negative. */
function movedBy(type: EntryType, { available, held, revenue }: Legs): bigint {
  const amount: bigint = type === 'capture' || type === 'write_off' ? revenue : type === 'hold' ? held : available;
  return amount < 0n ? -amount : amount;
}
