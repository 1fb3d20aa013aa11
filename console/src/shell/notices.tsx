/** Shows what `parts/notify.ts` is given, by antd's messages. */
import { message } from 'antd';
import { useEffect } from 'react';
import { useStore } from '../api/store.ts';
import { notices } from '../parts/notify.ts';

export default function Notices() {
  const [api, holder] = message.useMessage();
  const waiting = useStore(notices);
  useEffect(() => {
    if (waiting.length === 0) return;
    for (const { type, text } of waiting) void api.open({ type, content: text });
    notices.set([]);
  }, [api, waiting]);
  return holder;
}
