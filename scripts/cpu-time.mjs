/** What processes have taken of the CPU, as Linux keeps it; elsewhere undefined. */
import fs from 'node:fs';

/** Linux counts in hundredths of a second, whatever its clock. */
const tickMs = 10;

/** Of a process and of those that it started and that have ended. */
export function cpuMsOf(pid) {
  return statOf(pid)?.cpuMs;
}

/** Of a server: with the processes that it has now. */
export function cpuMsOfServer(pid) {
  const all = processes().filter((each) => each.pid === pid || each.parent === pid);
  return all.length === 0 ? undefined : all.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
}

function processes() {
  try {
    const pids = fs.readdirSync('/proc').map(Number).filter(Number.isInteger);
    return pids.flatMap((pid) => statOf(pid) ?? []);
  } catch {
    return []; // there is no such folder here
  }
}

function statOf(pid) {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // from the third on
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return { pid, parent: Number(fields[1]), cpuMs: ticks * tickMs };
  } catch {
    return undefined; // it has ended
  }
}
