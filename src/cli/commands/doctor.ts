/** `tollgate doctor`: whether everything that Tollgate depends on works, and how to fix what doesn't. */
import type { Command } from 'commander';
import { print, Refusal } from '../output.ts';
import { counted, type Finding, type FindingState } from '../roles/doctor/finding.ts';

/** Longer names push their line to the right. */
const checkCharacters = 19;
const words: Readonly<Record<FindingState, string>> = { ok: 'ok', warn: 'warn', fail: 'FAIL', skip: 'skip' };

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('check settings, servers, workers and providers, with fixes; exits 1 if a check fails')
    .option('--json', 'print the findings as JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const { examineEverything } = await import('../roles/doctor/doctor.ts'); // Temporal's client takes a moment to load
      const findings = await examineEverything({
        env: process.env,
        cwd: process.cwd(),
        version: program.version() ?? '',
        onFinding: json === true ? () => undefined : (finding) => print(findingText(finding)),
      });
      print(json === true ? JSON.stringify(findings) : `\n${summary(findings)}`);
      const failed = numberOf(findings, 'fail');
      if (failed > 0) throw new Refusal(`${counted(failed, 'check')} failed.`);
    });
}

/** One line, and what to do about it on a second one. */
export function findingText({ check, state, found, fix }: Finding): string {
  const line = `${words[state].padEnd(4)}  ${check.padEnd(checkCharacters)}  ${found}`;
  return fix === undefined ? line : `${line}\n${' '.repeat(checkCharacters + 8)}→ ${fix}`;
}

const numberOf = (findings: readonly Finding[], state: FindingState): number =>
  findings.filter((finding) => finding.state === state).length;

function summary(findings: readonly Finding[]): string {
  const counts = (['ok', 'warn', 'fail', 'skip'] as const)
    .map((state) => [state, numberOf(findings, state)] as const)
    .filter(([, count]) => count > 0);
  return `${counted(findings.length, 'check')}: ${counts.map(([state, count]) => `${count} ${words[state]}`).join(', ')}.`;
}
