/** One operation: its line, and opened everything that the document says of it. Closed, nothing of that is drawn. */
import { useTexts } from '../texts/define-texts.ts';
import { Answers } from './answers.tsx';
import type { ApiDocument, Operation } from './document.ts';
import { MethodTag } from './method-tag.tsx';
import { Parameters } from './parameters.tsx';
import { RequestSample } from './request-sample.tsx';
import { Fields } from './fields.tsx';
import { texts } from './texts.ts';
import { TryIt } from './try-it.tsx';
import { Words } from './words.tsx';

interface OperationCardProps {
  api: ApiDocument;
  operation: Operation;
  isOpen: boolean;
  toggle: () => void;
}

export function OperationCard({ api, operation, isOpen, toggle }: OperationCardProps) {
  const { id, method, path, summary, isWebhook } = operation;
  return (
    <article id={id} className="docs-operation" aria-labelledby={`title-${id}`}>
      <h3>
        <button type="button" aria-expanded={isOpen} onClick={toggle}>
          <MethodTag method={method} isWebhook={isWebhook} />
          <code>{path}</code>
          <span id={`title-${id}`}>{summary}</span>
        </button>
      </h3>
      {isOpen && <Opened api={api} operation={operation} />}
    </article>
  );
}

function Opened({ api, operation }: Pick<OperationCardProps, 'api' | 'operation'>) {
  const say = useTexts(texts);
  const { description, parameters, bodies, isKeyed, isWebhook, id } = operation;
  return (
    <div className="docs-opened">
      <p>
        <Words text={description} /> {!isKeyed && <em>{say(isWebhook ? 'webhook' : 'noKey')}</em>}{' '}
        <code className="docs-id">{id}</code>
      </p>
      {parameters.length > 0 && (
        <>
          <h4>{say('parameters')}</h4>
          <Parameters api={api} parameters={parameters} />
        </>
      )}
      {bodies.map((body) => (
        <div key={body.type}>
          <h4>
            {say('requestBody')} <small>{body.type}</small>
          </h4>
          <Fields api={api} schema={body.schema} />
        </div>
      ))}
      <RequestSample api={api} operation={operation} />
      <Answers api={api} operation={operation} />
      {!isWebhook && <TryIt api={api} operation={operation} />}
    </div>
  );
}
