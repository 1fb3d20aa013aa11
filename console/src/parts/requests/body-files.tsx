/** A recorded form, or an answer that is a file: fields with their values, and what the files are, of which nothing more is kept. */
import { useTexts } from '../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../texts/language.ts';
import { CodeBlock } from '../code-block.tsx';
import { isRecord, listOf, recordOf, textOf } from '../json.ts';
import { bytesText } from '../measures.ts';
import { Sheet } from '../sheet.tsx';
import { requestTexts } from './texts.ts';

interface Props {
  /** Of the body: the request, or the answer. */
  name: string;
  /** JSON; of a long form only its beginning, which is shown as it is. */
  text: string;
}

export function BodyFiles({ name, text }: Props) {
  const say = useTexts(requestTexts);
  const locale = localeOf(useLanguage());
  const body = parsed(text);
  if (!isRecord(body)) return <CodeBlock code={text} label={name} />;
  const fields = Object.entries(recordOf(body['fields'])).map(([field, value]) => ({
    field,
    value: shownValue(value),
  }));
  const files = ('files' in body ? listOf(body['files']) : [body]).map((file, at) => ({ at, ...fileOf(file) }));
  const sizeOf = (bytes: number | undefined) => (bytes === undefined ? '–' : bytesText(bytes, locale));
  return (
    <>
      {fields.length > 0 && (
        <Sheet
          label={`${name}: ${say('formFields')}`}
          rows={fields}
          keyOf={({ field }) => field}
          columns={[
            { key: 'field', title: say('field'), cell: ({ field }) => <span className="tg-mono">{field}</span> },
            { key: 'value', title: say('value'), cell: ({ value }) => <span className="tg-long">{value}</span> },
          ]}
        />
      )}
      {files.length > 0 && (
        <Sheet
          label={`${name}: ${say('files')}`}
          rows={files}
          keyOf={({ at }) => String(at)}
          columns={[
            {
              key: 'file',
              title: say('file'),
              cell: ({ part, fileName }) => (
                <>
                  <span className="tg-long">{fileName || (part ? say('unnamedFile') : name)}</span>{' '}
                  {part !== '' && <span className="tg-second tg-mono">{part}</span>}
                </>
              ),
            },
            { key: 'type', title: say('type'), cell: ({ type }) => type || '–' },
            { key: 'size', title: say('size'), isNumber: true, cell: ({ bytes }) => sizeOf(bytes) },
          ]}
        />
      )}
      <p className="tg-quiet">{say('filesNotKept')}</p>
    </>
  );
}

function fileOf(file: unknown) {
  const { name, file_name: fileName, type, bytes } = recordOf(file);
  return {
    ...{ part: textOf(name), fileName: textOf(fileName), type: textOf(type) },
    bytes: typeof bytes === 'number' ? bytes : undefined,
  };
}

/** A field that came more than once has its values one a line. */
const shownValue = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : listOf(value)
        .map((one) => textOf(one))
        .join('\n');

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
