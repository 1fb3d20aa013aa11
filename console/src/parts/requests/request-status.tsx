/** A request's status with the code of its error: figures and words, never the colour alone. */
import { Tag } from 'antd';
import { outcomeOf, type ShownRequest } from './request.ts';

const colors = { good: 'success', refused: 'warning', failed: 'error' } as const;

export function RequestStatus({ request }: { request: ShownRequest }) {
  const { status, code } = request;
  return (
    <>
      <Tag color={colors[outcomeOf(request)]}>{status}</Tag>
      {code !== null && <span className="tg-second tg-mono">{code}</span>}
    </>
  );
}
