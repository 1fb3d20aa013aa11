/** One operation in two columns: what the document says of it, and beside it, staying in view, how it is called and what it answers. */
import { useTexts } from '../texts/define-texts.ts';
import { AnswerExamples, Answers } from './answers.tsx';
import type { ApiDocument, Operation } from './document.ts';
import { MethodTag } from './method-tag.tsx';
import { Parameters } from './parameters.tsx';
import { RequestSample } from './request-sample.tsx';
import { Fields } from './fields.tsx';
import { texts } from './texts.ts';
import { TryIt } from './try-it.tsx';
import { Words } from './words/words.tsx';

interface OperationSectionProps {
  api: ApiDocument;
  operation: Operation;
  /** Its name in the reader's language. */
  title: string;
}

export function OperationSection({ api, operation, title }: OperationSectionProps) {
  const say = useTexts(texts);
  const { baseId, method, path, description, parameters, bodies, isKeyed, isWebhook } = operation;
  return (
    <article id={baseId} className="docs-operation docs-columns" aria-labelledby={`title-${baseId}`}>
      <div>
        <h3 id={`title-${baseId}`} tabIndex={-1}>
          {title}{' '}
          <a className="docs-anchor" href={`#${baseId}`} aria-label={`${say('link')}: ${title}`}>
            #
          </a>
        </h3>
        <p className="docs-line">
          <MethodTag method={method} isWebhook={isWebhook} /> <code>{path}</code>
        </p>
        <p>
          <Words text={description} /> {!isKeyed && <em>{say(isWebhook ? 'webhook' : 'noKey')}</em>}{' '}
        </p>
        {bodies.map((body, index) => (
          <div key={body.type}>
            <h4>
              {say('requestBody')} <small>{body.type}</small>
            </h4>
            <Fields api={api} schema={body.schema} anchor={index === 0 ? baseId : undefined} />
          </div>
        ))}
        {parameters.length > 0 && (
          <>
            <h4>{say('parameters')}</h4>
            <Parameters parameters={parameters} anchor={baseId} />
          </>
        )}
        <Answers api={api} operation={operation} />
      </div>
      <div className="docs-side">
        <RequestSample api={api} operation={operation} />
        {!isWebhook && <TryIt api={api} operation={operation} />}
        <AnswerExamples operation={operation} />
      </div>
    </article>
  );
}
