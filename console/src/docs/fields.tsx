/** The fields of a schema. What is nested is drawn when it is opened, so that schemas may hold themselves. */
import { type ReactNode, useState } from 'react';
import { useTexts } from '../texts/define-texts.ts';
import { BoundsLine } from './words/bounds-line.tsx';
import type { ApiDocument } from './document.ts';
import { fieldsOf, hasMore, partsOf, typeWord } from './schema.ts';
import { texts } from './texts.ts';
import { Words } from './words/words.tsx';

interface FieldsProps {
  api: ApiDocument;
  schema: unknown;
  /** What anchors of its fields begin with; none below the first level. */
  anchor?: string | undefined;
}

export function Fields({ api, schema, anchor }: FieldsProps) {
  const say = useTexts(texts);
  const fields = fieldsOf(api, schema);
  const parts = partsOf(api, schema);
  if (fields.length === 0 && parts.length === 0) {
    return (
      <p>
        <span className="docs-type">{typeWord(schema, say)}</span> <BoundsLine schema={schema} />
      </p>
    );
  }
  const titles = { choice: say('oneOf'), item: say('itemsAre'), value: say('valuesAre') };
  return (
    <>
      {fields.length > 0 && (
        <dl className="docs-fields">
          {fields.map((field) => (
            <div key={field.name} id={anchor && `${anchor}.${field.name}`}>
              <dt>
                <code>{field.name}</code> <span className="docs-type">{typeWord(field.schema, say)}</span>
                {field.required && <span className="docs-required"> {say('required')}</span>}
              </dt>
              <dd>
                <Words text={field.description} /> <BoundsLine schema={field.schema} />
                {hasMore(api, field.schema) && (
                  <Later title={`${field.name}: ${say('schema')}`}>
                    <Fields api={api} schema={field.schema} />
                  </Later>
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {parts.map(({ kind, schema: part }, index) => (
        <Later key={index} title={`${titles[kind]} ${typeWord(part, say)}`}>
          <Fields api={api} schema={part} />
        </Later>
      ))}
    </>
  );
}

/** Is drawn once it is open. */
export function Later({ title, children }: { title: string; children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="docs-later" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && children}
    </details>
  );
}
