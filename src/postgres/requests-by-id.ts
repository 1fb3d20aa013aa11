/** How records of requests are found by their id, of which there is an index only where it does not say when they came. */
import { spanOfRequestId } from '../domain/request-ids.ts';

/**
 * The conditions for SQL under which records of `requests` have that id, one or two: no record meets both, and each is to be
 * in a SELECT of its own, as each has its own index. `parameter` takes a value and returns its place, such as `$3`.
 */
export function requestsById(id: string, parameter: (value: unknown) => string): string[] {
  const its = parameter(id);
  const indexed = `request_id = ${its} and (is_id_given or request_id not like 'req\\_%')`;
  const span = spanOfRequestId(id);
  if (!span) return [indexed];
  const [from, to] = [parameter(span.from), parameter(span.to)];
  const inSpan = `created_at >= ${from}::timestamptz and created_at <= ${to}::timestamptz`;
  return [indexed, `request_id = ${its} and is_id_given is not true and ${inSpan}`];
}
