/** All that an entry says, in a drawer. */
import { Drawer } from 'antd';
import { Link } from 'react-router';
import { CopyButton } from '../../parts/copy-button.tsx';
import { entryTexts } from '../../parts/entry-texts.ts';
import { ExactMoney } from '../../parts/money.tsx';
import { Count, SignedMoney } from '../../parts/numbers.tsx';
import { useReasonText } from '../../parts/reason.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { Time } from '../../parts/time.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { TaskLink } from './entries.tsx';
import type { Entry } from './index.tsx';
import { abouts, texts } from './texts.ts';
import { Fact } from '../../parts/fact.tsx';

const drawerPx = 480;

export function Details({ entry, onClose }: { entry: Entry | undefined; onClose: () => void }) {
  const sayEntry = useTexts(entryTexts);
  return (
    <Drawer
      open={entry !== undefined}
      onClose={onClose}
      size={drawerPx}
      title={entry && sayEntry(entry.type)}
      destroyOnHidden
    >
      {entry && <EntryFacts entry={entry} />}
    </Drawer>
  );
}

/** What an entry says, and what its charge is made of. */
export function EntryFacts({ entry }: { entry: Entry }) {
  const say = useTexts(texts);
  const reasonText = useReasonText();
  const {
    task_id: task,
    request_id: request,
    key_id: key,
    key_name: keyName,
    model,
    units,
    unit,
    reason,
    lines,
  } = entry;
  return (
    <>
      <p className="tg-quiet">{say(abouts[entry.type])}</p>
      <dl className="tg-facts">
        <Fact name={say('amount')}>
          <SignedMoney amount={entry.amount} isExact />
        </Fact>
        {entry.charged > 0 && (
          <Fact name={say('chargedLabel')}>
            <ExactMoney amount={entry.charged} />
          </Fact>
        )}
        <Fact name={say('balance')}>
          <ExactMoney amount={entry.balance} />
        </Fact>
        <Fact name={say('time')}>
          <Time at={entry.created} />
        </Fact>
        {model !== null && <Fact name={say('model')}>{model}</Fact>}
        {units !== null && (
          <Fact name={say('units')}>
            <Count of={units} /> {isUnit(unit) ? say(unit) : unit}
          </Fact>
        )}
        {entry.unit_price !== null && (
          <Fact name={say('unitPrice')}>
            <ExactMoney amount={entry.unit_price} />
          </Fact>
        )}
        {isSource(entry.usage_source) && <Fact name={say('usageSource')}>{say(entry.usage_source)}</Fact>}
        {reason !== undefined && <Fact name={say('reason')}>{reasonText(reason)}</Fact>}
        {task !== null && (
          <Fact name={say('task')}>
            <TaskLink task={task} text={task} />
          </Fact>
        )}
        {request !== null && (
          <Fact name={say('request')}>
            <Link to={`../requests?id=${request}&request=${request}`} className="tg-mono">
              {request}
            </Link>{' '}
            <CopyButton text={request} />
          </Fact>
        )}
        {key !== null && (
          <Fact name={say('key')}>
            {keyName} <span className="tg-second tg-mono">{key}</span>
          </Fact>
        )}
        <Id name={say('entryId')} id={entry.id} />
      </dl>
      {lines && <Lines lines={lines} />}
    </>
  );
}

function Lines({ lines }: { lines: NonNullable<Entry['lines']> }) {
  const say = useTexts(texts);
  return (
    <>
      <h3>{say('lines')}</h3>
      <Sheet
        label={say('lines')}
        rows={lines}
        keyOf={({ unit, name }) => `${unit} ${name ?? ''}`}
        columns={[
          {
            key: 'unit',
            title: say('units'),
            cell: ({ unit, name }) => `${isLineUnit(unit) ? say(unit) : unit}${name === undefined ? '' : `: ${name}`}`,
          },
          { key: 'units', title: '', isNumber: true, cell: ({ units }) => <Count of={units} /> },
          {
            key: 'price',
            title: say('unitPrice'),
            isNumber: true,
            cell: ({ unit, unit_price: price }) =>
              unit === 'minimum_charge' ? null : isPricedEach(unit) ? (
                <ExactMoney amount={price} />
              ) : (
                <>
                  <ExactMoney amount={price * 1e6} /> <span className="tg-second">{say('perMillion')}</span>
                </>
              ),
          },
          { key: 'amount', title: say('amount'), isNumber: true, cell: ({ amount }) => <ExactMoney amount={amount} /> },
        ]}
      />
    </>
  );
}

const Id = ({ name, id }: { name: string; id: string }) => (
  <Fact name={name}>
    <span className="tg-mono">{id}</span> <CopyButton text={id} />
  </Fact>
);

const lineUnits = [
  ...['input_token', 'cached_input_token', 'cache_write_token', 'cache_write_1h_token'],
  ...['audio_input_token', 'image_input_token', 'output_token', 'audio_output_token', 'image_output_token'],
  ...['character', 'second', 'search', 'tool_call', 'call', 'minimum_charge'],
] as const;
const isLineUnit = (unit: string): unit is (typeof lineUnits)[number] => lineUnits.some((known) => known === unit);
/** Others are so cheap that a million of them is priced. */
const isPricedEach = (unit: string): boolean => ['tool_call', 'call', 'second', 'search'].includes(unit);
const soldUnits = ['image', 'second', 'token', 'character', 'search', 'call'] as const;
const isUnit = (unit: string | null): unit is (typeof soldUnits)[number] => soldUnits.some((known) => known === unit);
const sources = ['upstream', 'estimated', 'measured'] as const;
const isSource = (source: string | null): source is (typeof sources)[number] =>
  sources.some((known) => known === source);
