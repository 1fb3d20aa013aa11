/** Trying an operation against the gateway that served the page, with the reader's key or, where it may, the console's session. */
import { type SyntheticEvent, useEffect, useRef, useState } from 'react';
import { useTexts } from '../texts/define-texts.ts';
import { Code } from './code/code.tsx';
import type { ApiDocument, Body, Operation } from './document.ts';
import { ExampleChoice } from './example-choice.tsx';
import { Later } from './fields.tsx';
import { recordOf, textOf } from '../parts/json.ts';
import { KeyField } from './key-field.tsx';
import { useReader } from './reader.ts';
import { fieldsOf } from './schema.ts';
import { sessionOperations } from './session-operations.ts';
import { texts } from './texts.ts';
import { isFile, isForm, send, type Received } from './try-request.ts';

interface TryItProps {
  api: ApiDocument;
  operation: Operation;
}

export function TryIt({ api, operation }: TryItProps) {
  const say = useTexts(texts);
  return (
    <Later title={say('tryIt')}>
      <TryForm api={api} operation={operation} />
    </Later>
  );
}

type State = { received?: Received; fault?: string; isSending: boolean };

function TryForm({ api, operation }: TryItProps) {
  const say = useTexts(texts);
  const { key, session } = useReader();
  const takesSession = sessionOperations.has(operation.baseId);
  const [state, setState] = useState<State>({ isSending: false });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const [body] = operation.bodies;
  const run = async (form: FormData) => {
    const text = textOf(form.get('body'));
    if (body && !isForm(body)) {
      try {
        JSON.parse(text);
      } catch (error) {
        setState({ isSending: false, fault: say('notJson', { message: messageOf(error) }) });
        return;
      }
    }
    const mine = new AbortController();
    running.current = mine;
    setState({ isSending: true });
    try {
      const report = (received: Received) => setState({ isSending: true, received });
      const parts = new FormData();
      for (const [name, value] of form)
        if (name.startsWith('part ') && hasValue(value)) parts.append(name.slice(5), value);
      const filled = { parameters: parametersOf(form), text, form: parts };
      const payer = session && takesSession ? { account: session.account } : { key };
      await send(operation, filled, { payer, signal: mine.signal, report });
      setState((last) => ({ ...last, isSending: false }));
    } catch (error) {
      const fault = mine.signal.aborted ? say('stopped') : say('unreachable', { message: messageOf(error) });
      setState((last) => ({ ...last, isSending: false, fault }));
    }
  };
  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    void run(new FormData(event.currentTarget));
  };
  const lacksKey = operation.isKeyed && key === '' && !(session && takesSession);
  return (
    <form className="docs-try" onSubmit={submit}>
      <p className="docs-note">{say('tryNote')}</p>
      {operation.parameters.map(({ place, name, required, example }) => (
        <label key={`${place} ${name}`}>
          <span>
            <code>{name}</code> <span className="docs-type">{place}</span>
          </span>
          <input
            name={`${place} ${name}`}
            required={required}
            defaultValue={required ? example : ''}
            placeholder={example}
            autoComplete="off"
            spellCheck={false}
          />
        </label>
      ))}
      {body && (isForm(body) ? <FormParts api={api} body={body} /> : <JsonBody body={body} />)}
      {operation.isKeyed && <KeyField takesSession={takesSession} />}
      {lacksKey && <p>{say(takesSession ? 'needsKey' : 'needsOwnKey')}</p>}
      <p>
        <button type="submit" disabled={state.isSending || lacksKey}>
          {say(state.isSending ? 'sending' : 'send')}
        </button>{' '}
        {state.isSending && (
          <button type="button" onClick={() => running.current?.abort()}>
            {say('stop')}
          </button>
        )}
      </p>
      <p role="status">{state.fault ?? state.received?.status}</p>
      {state.received && <Shown received={state.received} label={`${say('answer')}: ${operation.baseId}`} />}
    </form>
  );
}

function JsonBody({ body }: { body: Body }) {
  const say = useTexts(texts);
  const [chosen, setChosen] = useState(0);
  const text = JSON.stringify(body.examples[chosen]?.value ?? {}, null, 2);
  return (
    <>
      <ExampleChoice examples={body.examples} chosen={chosen} choose={setChosen} />
      <label>
        {say('requestBody')}
        <textarea key={chosen} name="body" defaultValue={text} rows={text.split('\n').length + 1} spellCheck={false} />
      </label>
    </>
  );
}

function FormParts({ api, body }: { api: ApiDocument; body: Body }) {
  const example = recordOf(body.examples[0]?.value);
  return fieldsOf(api, body.schema).map(({ name, schema, required }) => (
    <label key={name}>
      <code>{name}</code>
      {isFile(schema) ? (
        <input type="file" name={`part ${name}`} required={required} />
      ) : (
        <input name={`part ${name}`} placeholder={textOf(example[name])} autoComplete="off" spellCheck={false} />
      )}
    </label>
  ));
}

function Shown({ received, label }: { received: Received; label: string }) {
  const say = useTexts(texts);
  if (received.file) return <SavedFile file={received.file} />;
  return (
    <>
      {received.text !== '' && (
        <Code
          text={received.text}
          label={label}
          language={received.type.startsWith('application/json') ? 'json' : 'text'}
        />
      )}
      {received.isCut && <p>{say('cut', { count: received.text.length })}</p>}
    </>
  );
}

function SavedFile({ file }: { file: Blob }) {
  const say = useTexts(texts);
  return (
    <button type="button" onClick={() => save(file)}>
      {say('save', { type: file.type, count: file.size })}
    </button>
  );
}

function save(file: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = `result.${file.type.split('/')[1] ?? 'bin'}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // the browser may still be reading it
}

const hasValue = (value: FormDataEntryValue): boolean => (typeof value === 'string' ? value !== '' : value.size > 0);

const parametersOf = (form: FormData): Record<string, string> =>
  Object.fromEntries(
    [...form].filter(([, value]) => typeof value === 'string').map(([name, value]) => [name, textOf(value)]),
  );

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
