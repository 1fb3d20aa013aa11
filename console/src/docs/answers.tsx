/** What an operation answers: each status with its headers and fields; examples of success stand beside it. */
import { useState } from 'react';
import { useTexts } from '../texts/define-texts.ts';
import { Code } from './code/code.tsx';
import type { Answer, ApiDocument, Body, Operation } from './document.ts';
import { ExampleChoice } from './example-choice.tsx';
import { Fields, Later } from './fields.tsx';
import { texts } from './texts.ts';
import { Words } from './words/words.tsx';

const isGood = ({ status }: Answer) => /^[23]/.test(status);

export function Answers({ api, operation }: { api: ApiDocument; operation: Operation }) {
  const say = useTexts(texts);
  const refusals = operation.answers.filter((answer) => !isGood(answer));
  return (
    <>
      <h4>{say('answers')}</h4>
      {operation.answers.filter(isGood).map((answer) => (
        <div key={answer.status}>
          <p>
            <strong>{answer.status}</strong> <Words text={answer.description} />
          </p>
          <AnswerFields api={api} answer={answer} />
        </div>
      ))}
      {refusals.length > 0 && (
        <>
          <h4>{say('refusals')}</h4>
          {refusals.map((answer) => (
            <Later key={answer.status} title={`${answer.status} ${answer.description.replaceAll('`', '')}`}>
              {answer.bodies.map((body) => (
                <BodyExample key={body.type} body={body} status={answer.status} />
              ))}
              <AnswerFields api={api} answer={answer} />
            </Later>
          ))}
        </>
      )}
    </>
  );
}

/** What an answer of success looks like, by status and type. */
export function AnswerExamples({ operation }: { operation: Operation }) {
  const say = useTexts(texts);
  const bodies = operation.answers
    .filter(isGood)
    .flatMap(({ status, bodies: all }) => all.map((body) => ({ status, body })));
  if (bodies.length === 0) return null;
  return (
    <>
      <h4>{say('answer')}</h4>
      {bodies.map(({ status, body }) => (
        <BodyExample key={`${status} ${body.type}`} body={body} status={status} />
      ))}
    </>
  );
}

function AnswerFields({ api, answer }: { api: ApiDocument; answer: Answer }) {
  const say = useTexts(texts);
  return (
    <>
      {answer.bodies
        .filter(({ schema }) => schema !== undefined)
        .map((body) => (
          <Later key={body.type} title={`${say('schema')}: ${body.type}`}>
            <Fields api={api} schema={body.schema} />
          </Later>
        ))}
      {answer.headers.length > 0 && (
        <Later title={say('headers')}>
          <dl className="docs-fields">
            {answer.headers.map(({ name, description }) => (
              <div key={name}>
                <dt>
                  <code>{name}</code>
                </dt>
                <dd>
                  <Words text={description} />
                </dd>
              </div>
            ))}
          </dl>
        </Later>
      )}
    </>
  );
}

function BodyExample({ body, status }: { body: Body; status: string }) {
  const say = useTexts(texts);
  const [chosen, setChosen] = useState(0);
  const example = body.examples[chosen];
  const language = body.type === 'application/json' ? 'json' : 'text';
  return (
    <>
      <div className="docs-choices">
        <span className="docs-type">
          {status} {body.type}
        </span>
        <ExampleChoice examples={body.examples} chosen={chosen} choose={setChosen} />
      </div>
      {example ? (
        <Code text={shown(example.value)} label={`${status} ${body.type}`} language={language} />
      ) : (
        <p>{say('bytes')}</p>
      )}
    </>
  );
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));
