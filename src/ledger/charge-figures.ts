/** What a capture or write-off adds to each sum of usage, revenue and cost: as SQL, and as the columns of the sums by hours. */
import { inputUnits, outputUnits } from '../domain/billing/line-units.ts';
import { taskIdPrefixes } from '../domain/ids.ts';

const quoted = (units: readonly string[]) => units.map((unit) => `'${unit}'`).join(', ');

/** Behind `entries e`: what `chargeFigures` needs of its price lines. */
export const tokensOfLines = `left join lateral (
    select sum((line ->> 'units')::bigint) filter (where line ->> 'unit' in (${quoted(inputUnits)})) as input,
      sum((line ->> 'units')::bigint) filter (where line ->> 'unit' in (${quoted(outputUnits)})) as output
    from (select jsonb_array_elements(e.lines) as line) as lines
  ) as tokens on e.lines is not null and e.type = 'capture'`;

const isCapture = `e.type = 'capture'`;
// A transfer has a capture; or only a write-off, of a call whose process had died and whose hold was swept.
const isOneEach = `(${isCapture} or e.reason = 'owner_lost')`;
const when = (condition: string, value: string) => `case when ${condition} then ${value} else 0 end`;
const unitsOf = (condition: string) => when(`${isCapture} and ${condition}`, '(e.units * 1000)::bigint');
const talkSeconds = unitsOf(`e.unit = 'second' and starts_with(e.task_id, '${taskIdPrefixes.avatar_talk}')`);

/** Of an entry `e`, by the columns of `charge_sums`. */
export const chargeFigures = {
  calls: when(isOneEach, '1'),
  calls_without_cost: when(`${isOneEach} and e.cost is null`, '1'),
  input_tokens: 'coalesce(tokens.input, 0)',
  output_tokens: 'coalesce(tokens.output, 0)',
  tokens: `coalesce(tokens.input, 0) + coalesce(tokens.output, 0) + ${talkSeconds}`,
  images: unitsOf(`e.unit = 'image'`),
  seconds: unitsOf(`e.unit = 'second'`),
  revenue: when(isCapture, 'e.d_revenue'),
  revenue_without_cost: when(`${isCapture} and e.cost is null`, 'e.d_revenue'),
  written_off: when(`e.type = 'write_off'`, 'e.d_revenue'),
  cost: 'coalesce(e.cost, 0)',
};

export const figureNames = Object.keys(chargeFigures);
