/** One provider: its limits, the outcomes of its tasks, and the models routed to it. */
import { CheckCircleOutlined, CloseCircleOutlined, MinusCircleOutlined, WarningOutlined } from '@ant-design/icons';
import { Tag } from 'antd';
import { Link } from 'react-router';
import type { Answer } from '../../api/client.ts';
import { ModelHealth } from '../../parts/model-health.tsx';
import { SuccessRate } from '../../parts/success-rate.tsx';
import { Time } from '../../parts/time.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../texts/language.ts';
import { Calls } from './calls.tsx';
import { texts } from './texts.ts';

export type Provider = Answer<'listProviders'>['data'][number];

export function ProviderCard({ provider }: { provider: Provider }) {
  const say = useTexts(texts);
  const number = useNumber();
  const { name, kind, host, max_per_second: rate, max_concurrent: most, places_taken: taken, tasks } = provider;
  return (
    <article className="tg-provider" aria-label={name}>
      <header>
        <div>
          <h2>{name}</h2>
          <p>
            {kind} <span aria-hidden="true">·</span> {host ?? say('ownAddress')}
          </p>
        </div>
        <div>
          {provider.state === 'degraded' && (
            <Tag color="warning" icon={<WarningOutlined />}>
              {say('degraded')}
            </Tag>
          )}{' '}
          <ProbeTag probe={provider.probe} />
        </div>
      </header>
      <dl>
        {tasks && <Fact name={say('unfinished')} value={number(tasks.unfinished)} />}
        <Fact
          name={say('places')}
          value={most === null ? say('unlimited') : say('placesOf', { taken: number(taken ?? 0), most: number(most) })}
        />
        <Fact name={say('rate')} value={rate === null ? say('unlimited') : number(rate)} />
      </dl>
      <Calls provider={provider} />
      {tasks && (
        <section>
          <h3>{say('tasks')}</h3>
          <SuccessRate lastHour={tasks.last_hour.done} lastDay={tasks.last_day.done} />
          <Outcomes name={name} tasks={tasks} />
        </section>
      )}
      <Models models={provider.models} />
    </article>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="tg-number">{value}</dd>
    </div>
  );
}

function ProbeTag({ probe }: { probe: Provider['probe'] }) {
  const say = useTexts(texts);
  if (!probe) return <Tag icon={<MinusCircleOutlined />}>{say('notProbed')}</Tag>;
  return (
    <Tag color={probe.good ? 'success' : 'error'} icon={probe.good ? <CheckCircleOutlined /> : <CloseCircleOutlined />}>
      {say(probe.good ? 'answered' : 'silent')} <Time at={probe.at} relative />
    </Tag>
  );
}

const outcomes = ['accepted', 'refused', 'faults', 'unknown'] as const;

function Outcomes({ name, tasks }: { name: string; tasks: NonNullable<Provider['tasks']> }) {
  const say = useTexts(texts);
  const number = useNumber();
  const isBad = (outcome: string) => outcome === 'faults' || outcome === 'unknown';
  return (
    <div className="tg-provider-outcomes">
      <table aria-label={say('outcomes', { name })}>
        <thead>
          <tr>
            <th scope="col">{say('sent')}</th>
            {outcomes.map((outcome) => (
              <th key={outcome} scope="col">
                {say(outcome)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {(['hour', 'day'] as const).map((period) => (
            <tr key={period}>
              <th scope="row">{say(period)}</th>
              {outcomes.map((outcome) => {
                const count = tasks[`last_${period}`][outcome];
                return (
                  <td key={outcome} className={count > 0 && isBad(outcome) ? 'tg-bad' : undefined}>
                    {number(count)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      {tasks.last_day.unknown > 0 && <Link to="/operator/unknown">{say('toUnknown')}</Link>}
    </div>
  );
}

function Models({ models }: { models: Provider['models'] }) {
  const say = useTexts(texts);
  if (models.length === 0) return <p className="tg-provider-note">{say('noModels')}</p>;
  return (
    <ul className="tg-provider-models" aria-label={say('models')}>
      {models.map((model) => (
        <li key={`${model.id} ${model.position}`}>
          <div>
            <code>{model.id}</code>{' '}
            <span>{say('route', { name: model.upstream_model, position: model.position })}</span>
          </div>
          <ModelHealth model={model} />
        </li>
      ))}
    </ul>
  );
}

function useNumber(): (value: number) => string {
  const locale = localeOf(useLanguage());
  return (value) => new Intl.NumberFormat(locale).format(value);
}
