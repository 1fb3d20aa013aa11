/** A field of several lines that grows with its text, by styles alone: antd's own way to grow writes styles that the policy forbids. */
import { Input } from 'antd';
import type { ComponentProps } from 'react';

type Props = Omit<ComponentProps<typeof Input.TextArea>, 'autoSize' | 'className'>;

const linePx = 22;
const paddingPx = 14;

/** `rows`: of an empty one, where the browser counts them from the text. */
export function TextArea({ rows = 3, ...props }: Props) {
  return (
    <Input.TextArea {...props} rows={rows} className="tg-grows" style={{ minHeight: rows * linePx + paddingPx }} />
  );
}
