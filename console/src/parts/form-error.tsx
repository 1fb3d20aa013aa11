/** Shows what the API refused of a form: at the field that it names, else above the form. */
import { Alert, type FormInstance } from 'antd';
import { useEffect } from 'react';
import { toConsoleError } from '../api/error.ts';
import { useErrorText } from './error-text.ts';

/**
 * Stands first in the form. `fields` maps the API's `param`, such as `limits.requests_per_minute`, to the form's names where
 * they differ; a `param` that is no field of the form is shown above with the message.
 */
export function FormError<Values>(props: {
  form: FormInstance<Values>;
  error: unknown;
  fields?: Readonly<Record<string, string | readonly (string | number)[]>>;
}) {
  const { form, error, fields } = props;
  const textOf = useErrorText();
  const param = error === null || error === undefined ? null : toConsoleError(error).param;
  const name = param === null ? undefined : (fields?.[param] ?? pathOf(param));
  const text = error === null || error === undefined ? undefined : textOf(error);
  const path = JSON.stringify(name ?? null);
  useEffect(() => {
    const target = parsedPath(path);
    if (target === undefined || text === undefined) return;
    const field = form.getFieldInstance(target) as unknown;
    if (field === undefined) return;
    // antd's types know the form's own names only; this one came from the server.
    form.setFields([{ name: target as never, errors: [text] }]);
    form.scrollToField(target, { focus: true });
  }, [form, path, text]);
  if (text === undefined) return null;
  return <Alert className="tg-form-alert" type="error" showIcon role="alert" title={text} />;
}

/** `items[0].name` as antd's `['items', 0, 'name']`. */
function pathOf(param: string): (string | number)[] {
  return param
    .split(/[.[\]]+/)
    .filter((part) => part !== '')
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

function parsedPath(text: string): (string | number)[] | undefined {
  const value: unknown = JSON.parse(text);
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value)) return undefined;
  return value.filter((part) => typeof part === 'string' || typeof part === 'number');
}
