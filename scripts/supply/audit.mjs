/** Whether packages have known holes, as `npm audit` says; where no registry answers that, it says "not checked". */
import { spawnSync } from 'node:child_process';

const grave = ['high', 'critical'];
/** The registry is asked once: an audit that hangs must not hold up a change. */
const audit_ms_max = 60_000;

export function checkAudit(folder) {
  const production = audit(folder, ['--omit=dev']);
  if (production.away) return { faults: [], facts: [], notChecked: production.away };
  const all = audit(folder, []);
  if (all.away) return { faults: [], facts: [], notChecked: all.away };
  const sum = (holes) => (holes.length === 0 ? 'none known' : holes.map(({ name }) => name).join(', '));
  return {
    faults: production.holes
      .filter(({ severity }) => grave.includes(severity))
      .map(({ name, severity, range }) => `${name} ${range} has a hole of severity ${severity}`),
    facts: [
      `holes in production: ${sum(production.holes)}`,
      `in development besides: ${sum(besides(all, production))}`,
    ],
  };
}

const besides = (all, { holes }) => all.holes.filter(({ name }) => !holes.some((one) => one.name === name));

function audit(folder, args) {
  const flags = ['--json', '--package-lock-only', '--fetch-retries=0', '--fetch-timeout=20000'];
  const { stdout, error } = spawnSync('npm', ['audit', ...flags, ...args], {
    cwd: folder,
    encoding: 'utf8',
    timeout: audit_ms_max,
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === 'win32',
  });
  if (error) return { away: error.code === 'ETIMEDOUT' ? 'npm audit took too long' : error.message };
  const answer = parsed(stdout);
  if (answer?.vulnerabilities === undefined) return { away: reasonOf(answer) };
  return { holes: Object.values(answer.vulnerabilities) };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // npm said something else, or nothing
  }
}

/** Without the address: a machine's registry has no place in a log. */
const reasonOf = (answer) => {
  const said = answer?.error?.summary || answer?.message || 'npm audit gave no answer';
  return String(said)
    .replaceAll(/\s*-?\s*(POST|GET)?\s*https?:\/\/\S+/g, '')
    .slice(0, 200);
};
