/** What to look at when a command ends because a server could not be reached, or did not let it in. */
import { codeOf, reasonOf } from './roles/doctor/reason.ts';

/** One line that names the setting to look at; undefined for errors that are about something else. */
export function connectionFault(error: unknown): string | undefined {
  const code = codeOf(error);
  if (code === undefined) return undefined;
  if (refusalCodes.has(code)) return `The database refused the connection: ${reasonOf(error)}. ${advice}`;
  if (networkCodes.has(code)) return `Could not connect${addressOf(error)}: ${reasonOf(error)}. ${advice}`;
  return undefined;
}

const advice = "Check DATABASE_URL; 'npx tollgate doctor' tries every address of the settings.";

const networkCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
]);
/** SQLSTATEs of PostgreSQL: no such user or a wrong password, and no such database. */
const refusalCodes: ReadonlySet<string> = new Set(['28000', '28P01', '3D000']);

/** Where it was tried, as far as the error says so: of a name with several addresses, the first. */
function addressOf(error: unknown): string {
  if (error instanceof AggregateError) return addressOf(error.errors[0]);
  if (!(error instanceof Error)) return '';
  if ('address' in error && 'port' in error) return ` to ${String(error.address)}:${String(error.port)}`;
  return 'hostname' in error ? ` to ${String(error.hostname)}` : '';
}
